import { expect, test } from "vitest";
import { joined } from "./kept.ts";

const run = (state: "works" | "fails", note?: string) => ({
  client: "claude-code@2.1.41",
  day: "2026-11-19",
  solitude: "alone",
  found: { "1": [{ what: "joins", state, ...(note !== undefined && { note }) }] },
});

test("runs are counted by scenario, and what differed between two of them stays told", () => {
  const first = joined(undefined, run("fails", "2 are missing; seen of it: | a screen"));
  expect([first.runs, first.differed]).toEqual([{ "1": 1 }, { "1": [] }]);
  const second = joined(first, run("works"));
  expect(second.found["1"]?.[0]?.state).toBe("works");
  const told = "joins: fails (2 are missing), then works";
  expect([second.runs, second.differed]).toEqual([{ "1": 2 }, { "1": [told] }]);
  const third = joined(second, run("works"));
  expect([third.runs, third.differed]).toEqual([{ "1": 3 }, { "1": [told] }]);
});

test("a run of one scenario leaves what is kept of others", () => {
  const before = { ...run("works"), found: { "2": [{ what: "asks", state: "works" as const }] } };
  expect(joined(before, run("works"))).toMatchObject({ found: { ...before.found, ...run("works").found } });
  expect(joined(before, run("works")).runs, "one that was kept without a count is one run").toEqual({ "1": 1 });
});
