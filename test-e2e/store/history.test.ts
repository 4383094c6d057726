import fc from "fast-check";
import { expect, test } from "vitest";
import { isLinearisable, type Model, type Operation } from "./history.ts";

/** A register that can be set from one value to another, and read. */
const register: Model<string> = (state, { input, output }) => {
  const [from, to] = input.split(">");
  if (to === undefined) return output === state ? state : undefined;
  if (output !== (state === from)) return undefined;
  return output ? to : state;
};

const permutations = <T>(all: readonly T[]): T[][] =>
  all.length === 0 ? [[]] : all.flatMap((one, n) => permutations(all.toSpliced(n, 1)).map((rest) => [one, ...rest]));

/** The definition, word for word. */
const hasOrder = (history: readonly Operation[]): boolean =>
  permutations(history).some((order) => {
    const keepsTime = order.every((later, n) => order.slice(0, n).every((earlier) => later.done >= earlier.call));
    const end = order.reduce<string | undefined>(
      (state, operation) => (state === undefined ? undefined : register(state, operation)),
      "a",
    );
    return keepsTime && end !== undefined;
  });

const value = fc.constantFrom("a", "b", "c");
const times = fc.tuple(fc.nat(12), fc.nat(6)).map(([call, length]) => ({ call, done: call + length }));
const operation = fc.oneof(
  fc.tuple(times, value).map(([time, output]) => ({ ...time, input: "read", output })),
  fc
    .tuple(times, value, value, fc.boolean())
    .map(([time, from, to, output]) => ({ ...time, input: `${from}>${to}`, output })),
);

test("a history is called linearisable if and only if some order of its operations explains it", () => {
  const found = { yes: 0, no: 0 };
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 5 }), (history) => {
      const isExplained = hasOrder(history);
      found[isExplained ? "yes" : "no"] += 1;
      expect(isLinearisable(history, "a", register)).toBe(isExplained);
    }),
    { numRuns: 2_000 },
  );
  expect(Math.min(found.yes, found.no)).toBeGreaterThan(100);
});

test("hundreds of operations of eight processes are judged, and one wrong result among them is found", () => {
  const history = Array.from({ length: 400 }, (_, n) => ({
    call: n * 10,
    done: n * 10 + 75,
    input: "next",
    output: n + 1,
  }));
  const counter: Model<number> = (state, { output }) => (output === state + 1 ? state + 1 : undefined);
  expect(isLinearisable(history, 0, counter)).toBe(true);
  const swapped = history.map((one, n) =>
    n === 200 ? { ...one, output: 210 } : n === 209 ? { ...one, output: 201 } : one,
  );
  expect(isLinearisable(swapped, 0, counter)).toBe(false);
});
