import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const at = (file: string) => join(import.meta.dirname, file);

/** A short soak; `without` takes a guarantee of the store away below it. */
function soak(
  minutes: number,
  seed: number,
  without?: string,
): { status: number | null; line: Record<string, number> } {
  const preload = without === undefined ? [] : ["--import", `file://${at("soak/mutant.mjs")}?without=${without}`];
  const args = [...preload, at("soak.mjs"), "--minutes", `${minutes}`, "--seed", `${seed}`];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, line: JSON.parse(stdout) };
}

test("a soak of the store finds nothing, and counts what it did", () => {
  const { status, line } = soak(0.05, 1);
  expect(line).toMatchObject({ lost: 0, torn: 0, doubled: 0, stuck: 0 });
  expect(status).toBe(0);
  expect(line["ops"]).toBeGreaterThan(0);
  expect(line["kills"]).toBeGreaterThan(0);
});

test.each(["locks", "renames", "acknowledgement"])("a soak of a store without its %s finds faults", (without) => {
  // On a busy machine so little may happen in a few seconds that nothing goes wrong.
  const seeds = Array.from({ length: 15 }, (_, seed) => seed + 1);
  expect(seeds.some((seed) => soak(0.05, seed, without).status === 1)).toBe(true);
});
