import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { entriesIn, human, ok, play, rehearse, talkOf, tool } from "../../test/rehearsal.ts";
import { scratch } from "../../test/scratch.ts";
import { adds, call, closes, type Events, json, opens, ping, send, serve, start, stop } from "../../test/streams.ts";
import { conversationOf } from "../journal/state.ts";
import { collectAnswer } from "./collect.ts";
import type { ModelEvent } from "./model.ts";

const whole = (input: Events, reason: unknown = "tool_use") => [
  start,
  opens(call()),
  ...input,
  closes(),
  ...stop(reason),
];

async function collected(events: Events): Promise<ModelEvent[]> {
  const told: ModelEvent[] = [];
  const stream = async function* () {
    yield* events;
  };
  for await (const event of collectAnswer(stream())) told.push(event);
  return told;
}

describe("the input of a call", () => {
  test.each<[string, Events, object]>([
    ["nothing", [], {}],
    ["empty pieces", [json(""), json("")], {}],
    ["an empty object", [json("{}")], {}],
    ["an object in pieces", [json('{"a"'), json(": [1, nu"), json("ll]}")], { a: [1, null] }],
  ])("that is said as %s is taken", async (_, input, expected) => {
    const end = (await collected(whole(input))).at(-1);
    expect(end).toMatchObject({ kind: "answered", answer: { content: [{ id: "t1", input: expected }] } });
    expect(end).not.toHaveProperty("answer.cut");
  });

  test.each<[string, Events]>([
    ["cut JSON", [json('{"path": "/etc/pa')]],
    ["cut JSON that is a whole one so far", [json('{"a": 1}, {')]],
    ["null", [json("null")]],
    ["an array", [json("[1]")]],
    ["a number", [json("7")]],
    ["a text", [json('"rm"')]],
    ["white space", [json("  ")]],
  ])("that is %s is none: the call is named as cut, whatever the reason to stop", async (_, input) => {
    for (const reason of ["tool_use", "end_turn", "stop_sequence", "pause_turn", "max_tokens", "new_word"])
      expect((await collected(whole(input, reason))).at(-1)).toMatchObject({
        kind: "answered",
        answer: { content: [{ ...call(), input: {} }], cut: ["t1"] },
      });
  });

  test("the input of a call that had not begun when the answer ended in the middle of its block is none", async () => {
    const end = (await collected([start, opens(call()), ...stop("tool_use")])).at(-1);
    expect(end).toMatchObject({ kind: "answered", answer: { cut: ["t1"] } });
  });

  test("the input of a call that is no object from the start is none", async () => {
    const end = (await collected([start, opens({ ...call(), input: [1] }), closes(), ...stop()])).at(-1);
    expect(end).toMatchObject({ kind: "answered", answer: { content: [{ input: {} }], cut: ["t1"] } });
  });
});

const text = { type: "text", text: "" };
const says = (words: unknown, index = 0) => adds({ type: "text_delta", text: words }, index);
const deepText = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
const deep = JSON.parse(`{"type":"new","of":${deepText}}`);
const wrong: readonly (readonly [string, Events])[] = [
  ["a block that is null", [start, opens(null), closes(), ...stop()]],
  ["a block that is a list", [start, opens([]), closes(), ...stop()]],
  ["a block without a type", [start, opens({ text: "" }), closes(), ...stop()]],
  ["a text without a text", [start, opens({ type: "text" }), closes(), ...stop()]],
  ["a call without an id", [start, opens({ type: "tool_use", name: "Look", input: {} }), closes(), ...stop()]],
  ["two calls with one id", [start, opens(call()), closes(), opens(call(), 1), closes(1), ...stop()]],
  ["a second block in the place of the first", [start, opens(text), opens(text), closes(), ...stop()]],
  ["a delta before its block", [start, says("x"), opens(text), closes(), ...stop()]],
  ["a delta for another index", [start, opens(text), says("x", 1), closes(), ...stop()]],
  ["a delta behind the end of its block", [start, opens(text), closes(), says("x"), ...stop()]],
  ["a delta of text for a call", [start, opens(call()), says("x"), closes(), ...stop()]],
  ["a delta that is null", [start, opens(text), adds(null), closes(), ...stop()]],
  ["a delta without its text", [start, opens(text), says(undefined), closes(), ...stop()]],
  ["the end of a block that was none", [start, closes(3), ...stop()]],
  ["an index that is no number", [start, { ...opens(text), index: "0" }, ...stop()]],
  ["a block before the message", [opens(text), start, closes(), ...stop()]],
  ["a second message", [start, start, ...stop()]],
  ["a message that is null", [{ ...start, message: null }, ...stop()]],
  ["an event that is null", [start, null, ...stop()]],
  ["an event without a type", [start, {}, ...stop()]],
  ["an end without a reason", [start, { type: "message_stop" }]],
  ["an end whose reason is null", [start, ...stop(null)]],
  ["an input that is too deep to be written down", whole([json(`{"a":${deepText}}`)])],
  ["a block that is too deep to be written down", [start, opens(deep), closes(), ...stop()]],
  ["no end", [start, opens(text), says("x"), closes()]],
  ["nothing", []],
];

test.each(wrong)("a stream with %s is one failure that passes, and nothing of it is kept", async (_, events) => {
  const told = await collected(events);
  expect(told.filter(({ kind }) => kind === "answered" || kind === "failed")).toHaveLength(1);
  expect(told.at(-1)).toMatchObject({ kind: "failed", failure: { kind: expect.stringMatching(/^(server|network)$/) } });
});

test("what is not known is passed over or kept as it came, and what is missing of the usage counts as nothing", async () => {
  const odd = { type: "new_block", "2": [], "1": null };
  const events = [
    { type: "message_start", message: {} },
    ping,
    { type: "new_event" },
    opens(odd),
    adds({ type: "new_delta" }),
    closes(),
    opens(text, 7),
    says("hi", 7),
    ...stop(),
  ];
  expect((await collected(events)).at(-1)).toMatchObject({
    kind: "answered",
    answer: { content: [odd, { type: "text", text: "hi" }], stopReason: "end_turn", usage: { input: 0, output: 2 } },
  });
});

const anyEvent = fc.oneof(
  fc.constantFrom<unknown>(
    start,
    ping,
    ...stop("tool_use"),
    ...stop("max_tokens"),
    ...stop(7),
    null,
    {},
    [],
    "event: x\ndata: {\n\n",
    "data: 7\n\n",
    ": comment\n\n",
    "event: content_block_start\ndata: null\n\n",
    "event: error\ndata: null\n\n",
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n',
    "event: error\ndata: no json\n\n",
    { ...start, message: { content: null, usage: 7 } },
  ),
  fc.record(
    {
      type: fc.constantFrom("content_block_start", "content_block_delta", "content_block_stop", "message_delta"),
      index: fc.constantFrom<unknown>(0, 1, -1, "0", null),
      content_block: fc.constantFrom<unknown>(
        null,
        text,
        call("a"),
        call("b"),
        { type: "thinking" },
        7,
        { type: 7 },
        { type: "tool_use", id: null, name: null },
      ),
      delta: fc.oneof(
        fc.constantFrom<unknown>(
          null,
          7,
          {},
          { type: "text_delta" },
          { type: "text_delta", text: "x" },
          { type: "citations_delta" },
          { type: "signature_delta", signature: 7 },
          { stop_reason: "tool_use" },
        ),
        fc.json().map((partial_json) => ({ type: "input_json_delta", partial_json })),
      ),
      usage: fc.constantFrom<unknown>(null, undefined, 7, { output_tokens: "many" }),
    },
    { requiredKeys: ["type"] },
  ),
);
/** A whole answer with some events taken out, doubled, exchanged, or put in. */
const answer: Events = [
  start,
  opens(text),
  says("I look."),
  closes(),
  opens(call(), 1),
  json('{"a":1}', 1),
  closes(1),
  ...stop("tool_use"),
];
const mutated = fc
  .array(fc.tuple(fc.nat(answer.length), fc.constantFrom("drop", "double", "swap", "add"), anyEvent), { maxLength: 4 })
  .map((changes) =>
    changes.reduce<Events>((events, [at, how, event]) => {
      const [one, two] = [events[at], events[at + 1]];
      if (how === "add") return events.toSpliced(at, 0, event);
      if (at >= events.length) return events;
      if (how === "drop") return events.toSpliced(at, 1);
      return how === "double"
        ? events.toSpliced(at, 0, one)
        : events.toSpliced(at, 2, ...(two === undefined ? [] : [two]), one);
    }, answer),
  );
const streams = fc.oneof(
  { arbitrary: mutated, weight: 3 },
  { arbitrary: fc.array(anyEvent, { maxLength: 12 }), weight: 1 },
);

test("whatever a server sends, a run through the SDK ends by itself, runs only whole calls, and keeps what the API takes back", async () => {
  let said: readonly Events[] = [];
  const api = await serve((response, nth) =>
    send(response, said[nth - before] ?? [start, opens(text), says("done"), closes(), ...stop()]),
  );
  let before = 0;
  const directory = scratch();
  await fc.assert(
    fc.asyncProperty(fc.array(streams, { minLength: 1, maxLength: 3 }), async (all) => {
      said = all;
      before = api.asked();
      const inputs: unknown[] = [];
      const look = tool("Look", (input) => {
        inputs.push(input);
        return ok("seen");
      });
      const path = join(directory, `${before}.jsonl`);
      const rehearsal = rehearse({
        path,
        model: api.modelWith(),
        tools: [look],
        limits: { maxTurns: 6 },
        inbox: [human("i1")],
      });
      const { terminal, isOver } = await play(rehearsal, undefined, 2_000);
      expect([isOver, terminal === undefined]).toEqual([true, false]);
      for (const input of inputs) expect(input).toEqual(expect.any(Object));
      const answers = entriesIn(path).flatMap((entry) => (entry.kind === "answered" ? [entry.answer] : []));
      const calls = answers.flatMap(({ content, cut = [] }) =>
        content.filter(({ type, id }) => type === "tool_use" && !cut.includes(String(id))),
      );
      expect(inputs.length).toBeLessThanOrEqual(calls.length);
      for (const { content } of talkOf(conversationOf(rehearsal.ports.journal.state())))
        for (const block of content) {
          expect(block).toMatchObject({ type: expect.any(String) });
          if (block["type"] === "tool_use")
            expect(block).toMatchObject({ id: expect.any(String), name: expect.any(String) });
          if (block["type"] === "tool_use")
            expect(Object.prototype.toString.call(block["input"])).toBe("[object Object]");
        }
      rehearsal.ports.journal.close();
    }),
    { numRuns: 150 },
  );
});
