import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answered, answerOf, called, fold, input, result, said, stored, toolUse, words } from "../../test/entries.ts";
import { freeze } from "../model/frozen.ts";
import type { Entry } from "./entry.ts";
import { conversationOf, emptyState, reduce } from "./state.ts";

const talkOf = (...entries: Parameters<typeof fold>) =>
  conversationOf(fold(...entries)).map(({ role, blocks }) => [role, ...blocks.map((block) => JSON.parse(block))]);

const start = [input("i1"), said("go", "i1")];
const calls = [toolUse("t1"), toolUse("t2"), toolUse("t3")];

test("results stand in the order of the calls, in whatever order they arrived, and before what is said", () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(["t1", "t2", "t3"], { minLength: 3 }), fc.nat(3), (order, at) => {
      const arrivals: Entry[] = order.map((id) => result(id));
      arrivals.splice(at, 0, said("by the way", "i2"));
      const newest = talkOf(...start, answered(calls), ...arrivals).at(-1);
      expect(newest?.slice(1).map((block) => block.tool_use_id ?? block.text)).toEqual([
        "t1",
        "t2",
        "t3",
        "by the way",
      ]);
    }),
  );
});

test("a call has one result, the first; and a result without its call is none", () => {
  const entries = [...start, answered([toolUse("t1")]), result("t1", "first")];
  expect(fold(...entries, result("t1", "second"), result("t9"))).toEqual({ ...fold(...entries), lastLine: "e6" });
  expect(talkOf(...entries).at(-1)?.[1].content).toEqual([words("first")]);
});

test("the results of an answer are not mistaken for those of the next", () => {
  const entries = [...start, answered([toolUse("t1")]), result("t1"), answered([toolUse("t2")]), result("t1", "late")];
  expect(fold(...entries).calls).toMatchObject([{ id: "t2" }]);
  expect(talkOf(...entries).map(([role]) => role)).toEqual(["user", "assistant", "user", "assistant"]);
});

test("an answer that paused goes on in the same message", () => {
  const paused = answered([words("I search")], { stopReason: "pause_turn" });
  const talk = talkOf(...start, paused, answered([words("and find")]));
  expect(talk).toEqual([
    ["user", words("go")],
    ["assistant", words("I search"), words("and find")],
  ]);
});

test("an answer that is empty is no message, and an empty text is not sent: the API takes neither", () => {
  const talk = talkOf(...start, answered([]), said("", "i2"), said("well?", "i3"), answered([words(""), words("yes")]));
  expect(talk).toEqual([
    ["user", words("go")],
    ["user", words("well?")],
    ["assistant", words("yes")],
  ]);
});

test("a result that was lost with its line is made up for before the next answer", () => {
  const talk = talkOf(...start, answered(calls), result("t2"), answered([words("so")]));
  expect(talk[2]?.slice(1).map(({ tool_use_id, is_error }) => [tool_use_id, is_error])).toEqual([
    ["t1", true],
    ["t2", undefined],
    ["t3", true],
  ]);
  expect(talkOf(...start, answered(calls), answered([words("so")]))[2]?.slice(1)).toHaveLength(3);
});

test("the calls of an answer that was asked for elsewhere count as begun there", () => {
  const foreign: Entry = { kind: "answered", answer: answerOf([toolUse("t1")]) };
  expect(fold(...start, foreign).calls).toMatchObject([{ id: "t1", hasStarted: true, isReplayable: false }]);
  expect(fold(...start, answered([toolUse("t1")])).calls).toMatchObject([{ id: "t1", hasStarted: false }]);
});

test("a summary takes the place of what was said, and what the model has not answered stays", () => {
  const usage = { input: 10, cacheRead: 90, cacheWrite5m: 0, cacheWrite1h: 0, output: 5 };
  const compacted: Entry = { kind: "compacted", summary: "it was long", trigger: "auto", preTokens: 9, usage };
  const before = [...start, answered([toolUse("t1")]), result("t1"), said("and this", "i2"), input("i3", "later")];
  const state = fold(...before, compacted);
  expect(talkOf(...before, compacted)).toEqual([["user", words("it was long"), words("and this")]]);
  expect(state).toMatchObject({ calls: [], past: undefined, compactions: 1, usage, waiting: [{ id: "i3" }] });
  expect(fold(...before, compacted, answered([words("on")]))).toMatchObject({ compactions: 0 });
  const stillFull = answered([], { stopReason: "model_context_window_exceeded" });
  expect(fold(...before, compacted, stillFull)).toMatchObject({ compactions: 1 });
});

describe("what was accepted", () => {
  test("an accepted input waits until it is said, and is said once", () => {
    expect(fold(input("a"), input("b"), input("a"), said("a", "a")).waiting.map(({ id }) => id)).toEqual(["b"]);
  });
  test("an accepted input begins a new run after an end, with nothing counted yet", () => {
    const usage = { input: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 1 };
    const ended: Entry = { kind: "ended", terminal: { isOk: true, why: "completed", text: "done" } };
    const before = [...start, answered([words("done")], { usage }), ended];
    expect(fold(...before)).toMatchObject({ turns: 1, usage, ended: { why: "completed" } });
    const after = fold(...before, input("i2"), said("more", "i2"));
    expect(after).toMatchObject({ turns: 0, usage: emptyState.usage });
    expect(after.ended).toBeUndefined();
  });
  test("in the middle of a run resets what was counted in a row, and not the turns", () => {
    const cut = answered([words("…")], { stopReason: "max_tokens" });
    const before = [...start, cut, said("go on"), answered([words("…")])];
    expect(fold(...before)).toMatchObject({ continuations: 1, turns: 2 });
    expect(fold(...before, said("new", "i2"))).toMatchObject({ continuations: 0, turns: 2 });
  });
});

test("answers whose calls are cut are counted in a row, and a whole one ends the row", () => {
  const cut = [...answered([toolUse("t1")], { stopReason: "max_tokens" }), result("t1")];
  expect(fold(...start, cut, cut)).toMatchObject({ continuations: 2 });
  expect(fold(...start, cut, cut, answered([toolUse("t2")]))).toMatchObject({ continuations: 0 });
});

test("a failure counts until an answer comes, and one of our own making does not count", () => {
  const failed = (kind: "network" | "superseded"): Entry => ({
    kind: "failed",
    failure: { kind, message: "" },
    during: "answer",
  });
  expect(fold(...start, failed("network"), failed("superseded"))).toMatchObject({ failures: 1 });
  expect(fold(...start, failed("network"), answered([words("hi")]))).toMatchObject({ failures: 0 });
  expect(fold(...start, failed("network"), { kind: "asked", result: "x" }).failure).toBeUndefined();
  expect(fold(...start, failed("superseded"), said("at once", "i2")).failure).toBeUndefined();
});

test("the fullness of the context is what was counted last, and an estimate of what came since", () => {
  const usage = { input: 10, cacheRead: 20, cacheWrite5m: 30, cacheWrite1h: 40, output: 5 };
  const before = [...start, answered([toolUse("t1")], { usage })];
  expect(fold(...before).tokens).toBe(105);
  expect(fold(...before, result("t1", "x".repeat(4000))).tokens).toBeGreaterThan(1105);
});

test("an entry that fits nowhere changes nothing but the line that the next one follows", () => {
  const before = fold(...start, answered(calls));
  const strange = stored(result("t9"), called("t9"), input("i1"));
  expect(strange.slice(0, 2).reduce(reduce, before)).toEqual({ ...before, lastLine: "e0" });
});

test("what was frozen and read again is frozen to the same bytes", () => {
  const key = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("1", "0", "10", "-1", "__proto__", "\ud800", "a"),
  );
  const { value } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.string({ unit: "binary" }),
      fc.constantFrom("\udead", "\u2028", -0, 1e300, 0.1, null, true),
      fc.double({ noNaN: true }),
      fc.array(tie("value")),
      tie("object"),
    ),
    object: fc.array(fc.tuple(key, tie("value"))).map((pairs) => Object.fromEntries(pairs)),
  }));
  fc.assert(
    fc.property(value, (input) => {
      const once = freeze({ type: "tool_use", id: "t", name: "n", input });
      expect(freeze(JSON.parse(once))).toBe(once);
    }),
  );
});
