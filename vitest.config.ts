import { defineConfig } from "vitest/config";
import { shared } from "./vitest.shared.ts";

const project = (name: string, include: string[]) => ({ ...shared, test: { name, include } });

export default defineConfig({
  test: {
    projects: [
      project("packages", ["packages/*/src/**/*.test.ts"]),
      project("apps", ["apps/*/src/**/*.test.ts"]),
      project("repository", ["scripts/**/*.test.ts", "bench/**/*.test.ts"]),
      project("e2e", ["test-e2e/**/*.test.ts"]),
    ],
  },
});
