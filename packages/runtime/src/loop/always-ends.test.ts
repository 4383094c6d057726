import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { answered, answerOf, called, input, result, said, stored, toolUse, words } from "../../test/entries.ts";
import { entriesIn, human, limits, ok, play, rehearse, tool } from "../../test/rehearsal.ts";
import { scratch } from "../../test/scratch.ts";
import type { Entry } from "../journal/entry.ts";
import { emptyState, reduce } from "../journal/state.ts";
import type { Block, FailureKind, ModelFailure } from "../model/model.ts";
import { type Line, scriptedModel } from "../model/scripted.ts";
import { decide } from "./decide.ts";

const stops = [
  "end_turn",
  "tool_use",
  "max_tokens",
  "pause_turn",
  "refusal",
  "model_context_window_exceeded",
  "stop_sequence",
  "unknown",
];
const kinds: FailureKind[] = [
  "aborted",
  "invalid",
  "network",
  "overflow",
  "overloaded",
  "rate_limited",
  "server",
  "spend_limited",
  "unauthorized",
];
const tokens = fc.constantFrom(0, 10, 100_000);
const failureOf = (...kinds: FailureKind[]) =>
  fc.constantFrom(...kinds).map((kind): ModelFailure => ({ kind, message: kind }));

const content = fc.array(
  fc.constantFrom<Block>(
    words("x"),
    words(""),
    toolUse("", "Safe"),
    toolUse("", "Unsafe"),
    toolUse("", "Throw"),
    toolUse("", "None"),
  ),
  { maxLength: 5 },
);
const line = fc.oneof(
  { arbitrary: fc.record({ content, stopReason: fc.constantFrom(...stops), tokens }), weight: 4 },
  { arbitrary: failureOf(...kinds), weight: 1 },
);

const entry: fc.Arbitrary<Entry | readonly Entry[]> = fc.oneof(
  fc
    .constantFrom("i1", "i2")
    .chain((id) => fc.constantFrom("now", "next", "later").map((priority) => input(id, priority as "now"))),
  fc.constantFrom(said("x", "i1"), said("y", "i2"), said("z"), { kind: "said", content: [], inputs: ["i1"] } as Entry),
  fc
    .record({ content, stopReason: fc.constantFrom(...stops), cut: fc.subarray(["t0", "t1", "t2"]) })
    .map(({ content, stopReason, cut }) =>
      answered(
        content.map((block, at) => ({ ...block, id: `t${at}` })),
        { stopReason, cut },
      ),
    ),
  content.map((content): Entry => ({ kind: "answered", answer: answerOf(content) })),
  fc.nat(5).chain((at) => fc.constantFrom(called(`t${at}`), called(`t${at}`, true), result(`t${at}`))),
  fc.record({
    kind: fc.constant("failed" as const),
    failure: failureOf(...kinds, "superseded"),
    during: fc.constantFrom("answer", "summary"),
  }),
  fc.constantFrom<Entry>(
    { kind: "asked", result: "x" },
    { kind: "compacted", summary: "s", trigger: "auto", preTokens: 1, usage: answerOf([]).usage },
    { kind: "stop_checked", verdict: { stops: true } },
    { kind: "stop_checked", verdict: { stops: false, because: "" } },
    { kind: "aborted", reason: "budget" },
    { kind: "ended", terminal: { isOk: true, why: "completed", text: "" } },
  ),
);

test("whatever has happened, there is one thing to do next, and calls without results go first", () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 30 }), fc.option(fc.nat(3), { nil: undefined }), (entries, maxTurns) => {
      const bounds = { ...limits, ...(maxTurns === undefined ? {} : { maxTurns }) };
      let state = emptyState;
      for (const one of stored(...entries)) {
        state = reduce(state, one);
        const action = decide(state, bounds);
        const isOpen = state.calls.some((call) => call.result === undefined);
        expect(["run_tools", "answer_calls"].includes(action.do)).toBe(isOpen);
        if ("calls" in action) expect(action.calls.length).toBeGreaterThan(0);
        if ("inputs" in action) expect(action.inputs.length).toBeGreaterThan(0);
      }
    }),
    { numRuns: 500 },
  );
});

const tools = [
  tool("Safe", () => ok("safe"), { isReplayable: true, isConcurrent: () => true }),
  tool("Unsafe", () => ok("unsafe")),
  tool("Throw", () => {
    throw new Error("no");
  }),
];

test("whatever the model says, a run with a limit of turns ends, every call has one result, and no message is empty", async () => {
  const directory = scratch();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), fc.boolean(), async (lines, isBlocked) => {
      let calls = 0;
      const model = scriptedModel((_, nth): Line => {
        const next = lines[nth % lines.length] ?? [];
        if (!("content" in next)) return next as ModelFailure;
        const usage = { ...answerOf([]).usage, input: next.tokens };
        const content = next.content.map((block) =>
          block.type === "tool_use" ? { ...block, id: `t${++calls}` } : block,
        );
        return { content, stopReason: next.stopReason, usage };
      });
      const path = join(directory, `${++run}.jsonl`);
      const mayStop = async () => (isBlocked ? ({ stops: false, because: "no" } as const) : ({ stops: true } as const));
      const rehearsal = rehearse({
        path,
        model,
        tools,
        mayStop,
        limits: { maxTurns: 12 },
        inbox: [human("i1"), human("i2", "later")],
      });
      const { isOver, terminal } = await play(rehearsal, undefined, 2_000);
      expect([isOver, terminal === undefined]).toEqual([true, false]);
      const entries = entriesIn(path);
      expect(entries.filter(({ kind }) => kind === "asked").length).toBeLessThan(100);
      const results = entries.flatMap((one) => (one.kind === "result" ? [one.call] : []));
      const used = entries.flatMap((one) =>
        one.kind === "answered" ? one.answer.content.flatMap(({ type, id }) => (type === "tool_use" ? [id] : [])) : [],
      );
      expect(results.toSorted()).toEqual(used.toSorted());
      for (const { messages, marks } of rehearsal.requests) {
        expect(marks.length).toBeLessThanOrEqual(4);
        expect(messages[0]?.role).toBe("user");
        for (const { blocks } of messages) expect(blocks.length).toBeGreaterThan(0);
      }
      rehearsal.ports.journal.close();
    }),
    { numRuns: 100 },
  );
});
