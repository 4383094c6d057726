import { expect, test } from "vitest";
import { inCommon } from "./in-common.ts";

test("work is done once for all who ask before it begins, and once more for all who ask while it is done", async () => {
  const ends: (() => void)[] = [];
  let begun = 0;
  const ask = inCommon(() => {
    begun += 1;
    const number = begun;
    return new Promise<number>((resolve) => ends.push(() => resolve(number)));
  });
  const first = Promise.all([ask(), ask()]);
  await Promise.resolve();
  expect(begun).toBe(1);
  const later = Promise.all([ask(), ask(), ask()]);
  ends[0]?.();
  expect(await first).toEqual([1, 1]);
  await Promise.resolve();
  ends[1]?.();
  expect(await later).toEqual([2, 2, 2]);
  expect(begun).toBe(2);
});

test("work that fails fails for those who asked for it alone", async () => {
  let begun = 0;
  const ask = inCommon(async () => {
    begun += 1;
    if (begun === 1) throw new Error("torn");
    return begun;
  });
  await expect(ask()).rejects.toThrow("torn");
  expect(await ask()).toBe(2);
});
