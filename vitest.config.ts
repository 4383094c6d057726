import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { shared } from "./vitest.shared.ts";

/** A busy machine is slow and not wrong: the limits only end what hangs. */
const limits = { testTimeout: 120_000, hookTimeout: 120_000 };
/** The test files of a worker share the modules it loads. */
const project = (name: string, include: string[], more: { globalSetup?: string[] } = {}) => ({
  ...shared,
  test: { name, include, isolate: false, ...more, ...limits },
});

export default defineConfig({
  test: {
    // A worker fills a part of a core: most tests wait for processes that they started.
    maxWorkers: availableParallelism() + 2,
    globalSetup: "scripts/leftovers.ts",
    projects: [
      project("packages", ["packages/*/src/**/*.test.ts"]),
      project("apps", ["apps/*/src/**/*.test.ts"]),
      project("repository", ["scripts/**/*.test.ts", "bench/**/*.test.ts"]),
      project("e2e", ["test-e2e/**/*.test.ts"], { globalSetup: ["scripts/bundled.ts"] }),
    ],
  },
});
