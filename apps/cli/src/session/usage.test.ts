import { expect, test } from "vitest";
import { forkReads, together } from "./usage.ts";

const usage = (input: number, cacheRead: number, cacheWrite5m: number) => ({
  input,
  cacheRead,
  cacheWrite5m,
  cacheWrite1h: 0,
  output: 1,
});

test("a fork could read what its parent had sent, and then what it had sent itself", () => {
  const parent = usage(0, 900, 100);
  expect(forkReads(parent, [usage(0, 1_000, 50), usage(5, 1_050, 20)])).toEqual({
    cacheRead: 2_050,
    cacheReadLimit: 2_050,
  });
  expect(forkReads(parent, [usage(1_050, 0, 0)])).toEqual({ cacheRead: 0, cacheReadLimit: 1_000 });
  expect(forkReads(undefined, [usage(10, 0, 0)])).toEqual({ cacheRead: 0, cacheReadLimit: 0 });
});

test("a fork that reads what a sibling has sent since reads no more than it could", () => {
  expect(forkReads(usage(0, 900, 100), [usage(0, 1_020, 5)])).toEqual({ cacheRead: 1_020, cacheReadLimit: 1_020 });
});

test("sums have a price only where every part has one", () => {
  const bill = (requests: number, cost?: number) => ({
    requests,
    usage: { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 },
    ...(cost !== undefined && { cost }),
  });
  expect(together([bill(1, 0.5), bill(2, 0.25)])).toEqual({
    requests: 3,
    usage: { input: 2, cacheRead: 4, cacheWrite: 6, output: 8 },
    cost: 0.75,
  });
  expect(together([bill(1, 0.5), bill(2)])).not.toHaveProperty("cost");
});
