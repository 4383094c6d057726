import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RunEnd, runProcess } from "@troupe/process";

/** A package, `@` and a version. */
type Wanted = string;

/** Installs packages of npm into a folder made anew, without running a script of theirs. */
export async function npmInstall(
  place: string,
  wanted: readonly Wanted[],
  environment: Readonly<Record<string, string>>,
): Promise<RunEnd> {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), '{ "private": true }\n');
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--no-update-notifier"];
  return runProcess({
    program: "npm",
    args: ["install", ...quiet, ...wanted],
    cwd: place,
    environment,
    timeoutMs: 300_000,
    keptBytes: 20_000,
  });
}
