import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { test as base, expect } from "vitest";
import { inTurn } from "./turn.mjs";

const test = base.extend<{ dir: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names it must provide from this pattern
  dir: async ({}, use) => {
    const dir = mkdtempSync(join(tmpdir(), "troupe-turn-"));
    await use(dir);
    rmSync(dir, { recursive: true });
  },
});

test("two runs never work at once, and leave nothing behind", async ({ dir }) => {
  let working = 0;
  const work = async () => {
    expect(++working).toBe(1);
    await setImmediate();
    working--;
  };
  await Promise.all([inTurn(dir, work), inTurn(dir, work), inTurn(dir, work)]);
  expect(readdirSync(dir)).toEqual([]);
});

test("work that fails ends its turn", async ({ dir }) => {
  await expect(inTurn(dir, () => Promise.reject(new Error("no network")))).rejects.toThrow("no network");
  expect(await inTurn(dir, async () => "done")).toBe("done");
});

const noProcess = 2 ** 22 + 1;

test("the turn of a run that died is over", async ({ dir }) => {
  writeFileSync(join(dir, "turn"), `${noProcess}-x`);
  expect(await inTurn(dir, async () => "done")).toBe("done");
  expect(readdirSync(dir)).toEqual([]);
});

test("a turn older than any install is over, though its process number is in use", async ({ dir }) => {
  writeFileSync(join(dir, "turn"), `${process.pid}-x`);
  const longAgo = Date.now() / 1000 - 3600;
  utimesSync(join(dir, "turn"), longAgo, longAgo);
  expect(await inTurn(dir, async () => "done")).toBe("done");
});
