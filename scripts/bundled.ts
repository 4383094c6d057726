import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}/src`);
const rooms = ["backends", "postgres", "runtime", "store", "team"].map((name) => `test-e2e/${name}`);

/** What each script writes, and the directories of what it is made of. */
const page = "packages/web/scripts/client.mjs";
const bundles = [
  { script: page, writes: "packages/web/dist/client/app.js", of: [] },
  { script: "apps/cli/scripts/bundle.mjs", writes: "apps/cli/dist/main.js", of: ["apps/cli/src", "apps/cli/scripts"] },
  { script: "test-e2e/bundle.mjs", writes: "test-e2e/dist/store/writer.mjs", of: rooms },
];

/**
 * Vitest's set-up of the tests that start `troupe`, or programs of their own: makes both of the
 * sources as they are.
 */
export function setup(): void {
  for (const { script, writes, of } of bundles) {
    const made = join(root, writes);
    const changed = [script, ...of, ...packages].map((path) => lastChange(join(root, path)));
    if (existsSync(made) && statSync(made).mtimeMs > Math.max(...changed)) continue;
    execFileSync(process.execPath, [join(root, script)]);
  }
}

const lastChange = (path: string): number => {
  const stats = statSync(path);
  const below = stats.isDirectory() ? readdirSync(path, { recursive: true }) : [];
  return Math.max(stats.mtimeMs, ...below.map((name) => statSync(join(path, `${name}`)).mtimeMs));
};
