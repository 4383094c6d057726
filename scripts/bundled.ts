import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}/src`);

/** Vitest's set-up of the tests that run `troupe`: makes it of the sources as they are. */
export function setup(): void {
  const changed = ["apps/cli/src", "apps/cli/scripts", ...packages].map((dir) => lastChange(join(root, dir)));
  const command = join(root, "apps/cli/dist/main.js");
  if (existsSync(command) && statSync(command).mtimeMs > Math.max(...changed)) return;
  execFileSync(process.execPath, [join(root, "apps/cli/scripts/bundle.mjs")]);
}

const lastChange = (dir: string): number =>
  Math.max(...["", ...readdirSync(dir, { recursive: true })].map((path) => statSync(join(dir, `${path}`)).mtimeMs));
