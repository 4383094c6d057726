import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultLimits } from "@troupe/store/files";
import { expect, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { amendSettings } from "./write.ts";

const add = (found: Readonly<Record<string, unknown>>) => ({ ...found, allow: ["Read"] });

/** A settings file, and a lock that somebody else made so many seconds ago. */
function locked(...ages: readonly (readonly [name: string, seconds: number])[]) {
  const directory = scratch();
  const file = join(directory, "settings.json");
  writeFileSync(file, "{}");
  for (const [name, seconds] of ages) {
    const lock = join(directory, name);
    mkdirSync(lock);
    const then = Date.now() / 1_000 - seconds;
    utimesSync(lock, then, then);
  }
  return { directory, file, text: () => readFileSync(file, "utf8") };
}

test.each([
  ["a lock", [["settings.json.lock", 8]]],
  [
    "the right to take over a lock that was left behind",
    [
      ["settings.json.lock", 12],
      ["settings.json.lock.break", 8],
    ],
  ],
] as const)("while another program has %s nothing is written, and it stays where it is", async (_, ages) => {
  const { directory, file, text } = locked(...ages);
  expect(await amendSettings(file, "permissions", add, { ...defaultLimits, deadlineMs: 100 })).toContain("is locked");
  expect(text()).toBe("{}");
  expect(readdirSync(directory).sort()).toEqual(["settings.json", ...ages.map(([name]) => name)].sort());
});

test.each([
  ["a lock", [["settings.json.lock", 12]]],
  ["a lock of a time when the clock was wrong", [["settings.json.lock", -3_600]]],
  [
    "the right to take over a lock",
    [
      ["settings.json.lock", 12],
      ["settings.json.lock.break", 12],
    ],
  ],
] as const)("%s that was left behind is taken over, and nothing is left of it", async (_, ages) => {
  const { directory, file, text } = locked(...ages);
  expect(await amendSettings(file, "permissions", add, { ...defaultLimits, staleMs: 500 })).toBeUndefined();
  expect(JSON.parse(text())).toEqual({ permissions: { allow: ["Read"] } });
  expect(readdirSync(directory)).toEqual(["settings.json"]);
});

test("whoever was stopped for so long that its lock was taken over writes nothing, and leaves the other's lock", async () => {
  const { directory, file, text } = locked();
  const lock = join(directory, "settings.json.lock");
  const fault = await amendSettings(file, "permissions", (found) => {
    rmdirSync(lock);
    mkdirSync(lock);
    utimesSync(lock, 1, 1);
    return add(found);
  });
  expect(fault).toContain("was taken over");
  expect(text()).toBe("{}");
  expect(existsSync(lock)).toBe(true);
});

test("a change that fails gives its lock up", async () => {
  const { directory, file } = locked();
  const fault = await amendSettings(file, "permissions", () => {
    throw new Error("no");
  });
  expect(fault).toContain("cannot be written: no");
  expect(readdirSync(directory)).toEqual(["settings.json"]);
});
