import { setImmediate as round } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { awaited } from "../../../scripts/awaited.ts";
import { firstOf, inTurn, timeLimit } from "./waits.ts";

const never = new AbortController().signal;
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

test("the first of several waits ends the others", async () => {
  const signals: AbortSignal[] = [];
  const seen = (signal: AbortSignal, wait: Promise<string>) => {
    signals.push(signal);
    return wait;
  };
  const first = await firstOf(
    never,
    (signal) => seen(signal, Promise.resolve("first")),
    (signal) => seen(signal, untilAborted(signal)),
  );
  expect(first).toBe("first");
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test("a wait that fails first, or cannot begin, fails the whole and ends the others", async () => {
  const ended: boolean[] = [];
  const other = (signal: AbortSignal) => untilAborted(signal).finally(() => ended.push(true));
  await expect(firstOf(never, other, () => Promise.reject(new Error("first")))).rejects.toThrow("first");
  const broken = () => {
    throw new Error("broken");
  };
  await expect(firstOf(never, other, broken)).rejects.toThrow("broken");
  await round();
  expect(ended).toEqual([true, true]);
});

test("the signal that is given ends all waits", async () => {
  const given = new AbortController();
  const waiting = firstOf(given.signal, untilAborted, untilAborted);
  given.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
});

test("work is done one after the other in the order of asking, also behind what failed", async () => {
  const turn = inTurn();
  const steps: string[] = [];
  const work = (name: string) => async () => {
    steps.push(`${name} begins`);
    await round();
    steps.push(`${name} ends`);
    if (name === "b") throw new Error(name);
    return name;
  };
  const all = await Promise.allSettled([turn(work("a")), turn(work("b")), turn(work("c")), turn(() => "d")]);
  expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
  expect(steps).toEqual(["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

test("a limit of time is kept though only a combined signal refers to it and everything else is collected", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const waiting = (): Promise<unknown> => {
    const either = AbortSignal.any([never, AbortSignal.any([never, timeLimit(100)])]);
    return new Promise((resolve) => either.addEventListener("abort", resolve, { once: true }));
  };
  const all = Promise.all(Array.from({ length: 50 }, waiting));
  const collecting = setInterval(collect, 10);
  await awaited("the limits", all).finally(() => clearInterval(collecting));
});
