import { defineConfig } from "vitest/config";
import { shared } from "./vitest.shared.ts";

/** A busy machine is slow and not wrong: the limits only end what hangs. */
const limits = { testTimeout: 120_000, hookTimeout: 120_000 };
const project = (name: string, include: string[]) => ({ ...shared, test: { name, include, ...limits } });

export default defineConfig({
  test: {
    globalSetup: "scripts/leftovers.ts",
    projects: [
      project("packages", ["packages/*/src/**/*.test.ts"]),
      project("apps", ["apps/*/src/**/*.test.ts"]),
      project("repository", ["scripts/**/*.test.ts", "bench/**/*.test.ts"]),
      project("e2e", ["test-e2e/**/*.test.ts"]),
    ],
  },
});
