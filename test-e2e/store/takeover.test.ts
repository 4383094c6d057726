import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { start, test } from "./processes.ts";

test("[ATP-LCK-007] [ATP-LCK-005] of eight that find a lock left behind one takes it over, and each has its turn alone", async ({
  root,
}) => {
  for (let round = 0; round < 5; round += 1) {
    const file = join(root, `${round}.json`);
    mkdirSync(`${file}.lock`);
    const old = new Date(Date.now() - 11_000);
    utimesSync(`${file}.lock`, old, old);
    const gate = join(root, "begin");
    const takers = Array.from({ length: 8 }, () => start("taker.mjs", { file, gate }));
    await Promise.all(takers.map(({ heard }) => heard(/^ready$/)));
    writeFileSync(gate, "");
    const said = await Promise.all(takers.map((taker) => taker.said));
    expect(said).toEqual(Array(8).fill(["ready", "alone"]));
    rmSync(gate);
  }
  expect(readdirSync(root)).toEqual([]);
});
