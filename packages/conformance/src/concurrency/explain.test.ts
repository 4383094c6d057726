import { expect, test } from "vitest";
import { isFault } from "../fault.ts";
import { assertExplained } from "./explain.ts";
import type { Model, Operation } from "./linearise.ts";
import { counterModel } from "./models.ts";

const creation = (id: string, call: number, ret: number): Operation => ({
  op: "task.create",
  args: {},
  outcome: "ok",
  reply: { id },
  call,
  ret,
});

const thrownBy = (work: () => void): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

test("a history that has an order passes", () => {
  const calls = [creation("2", 0, 3), creation("1", 1, 2)];
  expect(() => assertExplained(calls, counterModel, "none")).not.toThrow();
});

test("a history without one is the target's fault, and is shown", () => {
  const calls = [creation("2", 0, 1), creation("1", 2, 3)];
  const thrown = thrownBy(() => assertExplained(calls, counterModel, "the ids have no order"));
  expect(isFault(thrown) && [thrown.name, thrown.message]).toEqual(["CheckFailure", "the ids have no order"]);
  expect(isFault(thrown) && thrown.evidence["history"]).toEqual(calls);
});

test("a search without end is the suite's fault, and neither passes nor fails the target", () => {
  const crowd = Array.from({ length: 21 }, (_, index) => creation(String(index), 0, 1));
  // Every order of the first twenty is a state of its own, and none lets the last one come.
  const endless: Model<string> = {
    initial: "",
    keyOf: (state) => state,
    step: (state, { reply }) =>
      (reply as { id: string }).id === "20" ? undefined : `${state} ${(reply as { id: string }).id}`,
  };
  const thrown = thrownBy(() => assertExplained(crowd, endless, "none", { ms: 60_000, states: 500 }));
  expect(thrown).toBeInstanceOf(Error);
  expect(isFault(thrown)).toBe(false);
});
