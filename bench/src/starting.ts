import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { atMost, quickest, type Result, roundsOf } from "./measure.ts";

const main = fileURLToPath(new URL("../../apps/cli/dist/main.js", import.meta.url));
const sample = fileURLToPath(new URL("../../apps/cli/sample", import.meta.url));

/** P14: commands that only look, from their start to their end, against Node that does nothing. */
export async function starting(): Promise<Record<string, Result>> {
  const ratio = (...args: readonly string[]) =>
    roundsOf(() => quickest(() => run(main, ...args), 3) / quickest(() => run("-e", "0"), 3));
  return {
    "P14.show": atMost(2, await ratio("show", sample)),
    "P14.tasks": atMost(2.5, await ratio("task", "list", "parser-team", "--root", sample)),
    "P14.agents": atMost(2.5, await ratio("agents", "list", "--root", sample)),
  };
}

function run(...args: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}: ${stderr}`);
}
