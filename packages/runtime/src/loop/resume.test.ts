import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { answerOf, toolUse, words } from "../../test/entries.ts";
import { entriesIn, human, isPrefixChain, ok, play, rehearse, talkIn, tool, type World } from "../../test/rehearsal.ts";
import { scratch } from "../../test/scratch.ts";
import type { StopVerdict } from "../journal/entry.ts";
import type { Block, Model, ModelFailure } from "../model/model.ts";

const overloaded: ModelFailure = { kind: "overloaded", message: "busy" };
const thinking = { type: "thinking", thinking: "hm\u2028\ud83d\ude00", signature: "c2ln" };

/** The model's answers to a conversation, by the number of its answers so far. */
const script: readonly (readonly [content: readonly Block[], stopReason: string])[] = [
  [
    [
      thinking,
      words("I look"),
      toolUse("t1", "Look"),
      toolUse("t2", "Look"),
      toolUse("t3", "Append"),
      toolUse("t4", "None"),
    ],
    "tool_use",
  ],
  [[words("I write"), toolUse("t5", "Append", { "2": "b", "1": "a" })], "max_tokens"],
  [[toolUse("t6", "Append"), toolUse("t7", "Look")], "tool_use"],
  [[words("Half of")], "max_tokens"],
  [[words("the work is done.")], "end_turn"],
  [[words("All of it.")], "end_turn"],
];

/** A model that answers every request in the end, and fails each first attempt. */
function moody(): Model {
  const tried = new Set<number>();
  return async function* ({ messages }) {
    const nth = messages.filter(({ role }) => role === "assistant").length;
    yield { kind: "begun" };
    if (!tried.has(nth)) yield { kind: "failed", failure: overloaded };
    else {
      const [content = [], stopReason = ""] = script[nth] ?? [];
      yield { kind: "piece", of: "text", text: "…" };
      yield { kind: "answered", answer: answerOf(content, { stopReason }) };
    }
    tried.add(nth);
  };
}

function worldAt(path: string): World & { readonly ran: Map<string, number> } {
  const ran = new Map<string, number>();
  const count = (text: string) => (_: unknown, __: AbortSignal, call: string) => {
    ran.set(call, (ran.get(call) ?? 0) + 1);
    return ok(text);
  };
  const tools = [
    tool("Look", count("seen"), { isReplayable: true, isConcurrent: () => true }),
    tool("Append", count("appended")),
  ];
  const mayStop = async (_: string, isActive: boolean): Promise<StopVerdict> =>
    isActive ? { stops: true } : { stops: false, because: "There is more." };
  const inbox = [human("i1"), human("i2"), human("i3", "later")];
  return { path, model: moody(), tools, inbox, mayStop, ran };
}

const isAppend = (call: string) => ["t3", "t6"].includes(call);

/**
 * The conversation at the end; a call that was cut off by the stop is answered differently, and
 * only it.
 */
function endOf(rehearsal: ReturnType<typeof rehearse>) {
  return talkIn(rehearsal).map(({ role, content }) => ({
    role,
    content: content.map((block) =>
      block.type === "tool_result" && isAppend(block.tool_use_id) ? { answered: block.tool_use_id } : block,
    ),
  }));
}

function expectOneResultEach(path: string) {
  const entries = entriesIn(path);
  const used = entries.flatMap((entry) =>
    entry.kind === "answered" ? entry.answer.content.flatMap(({ type, id }) => (type === "tool_use" ? [id] : [])) : [],
  );
  const results = entries.flatMap((entry) => (entry.kind === "result" ? [entry.call] : []));
  expect(results.toSorted()).toEqual(used.toSorted());
  expect(used).toEqual(["t1", "t2", "t3", "t4", "t5", "t6", "t7"]);
}

async function whole() {
  const world = worldAt(join(scratch(), "whole.jsonl"));
  const rehearsal = rehearse(world);
  const { events, terminal } = await play(rehearsal);
  expect(terminal).toEqual({ isOk: true, why: "completed", text: "All of it." });
  expect(Object.fromEntries(world.ran)).toEqual({ t1: 1, t2: 1, t3: 1, t6: 1, t7: 1 });
  expectOneResultEach(world.path);
  return { end: endOf(rehearsal), events, text: readFileSync(world.path), world };
}

test("a run that is stopped after any event and read again goes on to the same end", async () => {
  const { end, events } = await whole();
  const directory = scratch();
  for (let stop = 1; stop < events.length; stop += 1) {
    const world = worldAt(join(directory, `${stop}.jsonl`));
    const first = rehearse(world);
    expect(await play(first, undefined, stop)).toMatchObject({ isOver: false });
    const second = rehearse(world);
    expect(second.ports.journal.state(), `after event ${stop}`).toEqual(first.ports.journal.state());
    expect(await play(second)).toMatchObject({ terminal: { text: "All of it." } });
    expect(endOf(second), `after event ${stop}`).toEqual(end);
    expectOneResultEach(world.path);
    expect(isPrefixChain([...first.requests, ...second.requests]), `after event ${stop}`).toBe(true);
    for (const [call, times] of world.ran) if (isAppend(call)) expect(times).toBe(1);
  }
});

test("a run whose reader stops again and again still comes to the same end", async () => {
  const { end } = await whole();
  const world = worldAt(join(scratch(), "stutter.jsonl"));
  let [rehearsal, isOver] = [rehearse(world), false];
  for (let step = 0; !isOver && step < 500; step += 1) {
    rehearsal = rehearse(world);
    ({ isOver } = await play(rehearsal, undefined, 3));
  }
  expect(endOf(rehearsal)).toEqual(end);
  expectOneResultEach(world.path);
});

/** Goes on from what a kill left of the transcript. */
async function resumed(path: string, text: Buffer) {
  writeFileSync(path, text);
  const kept = entriesIn(path);
  const world = worldAt(path);
  const rehearsal = rehearse(world);
  await play(rehearsal);
  const [begun, over] = (["called", "result"] as const).map(
    (kind) => new Set(kept.flatMap((entry) => (entry.kind === kind ? [entry.call] : []))),
  );
  for (const call of ["t1", "t2", "t3", "t6", "t7"]) {
    const isDone = over?.has(call) || (isAppend(call) && begun?.has(call));
    expect(world.ran.get(call) ?? 0, `${call} of ${path}`).toBe(isDone ? 0 : 1);
  }
  expectOneResultEach(path);
  return endOf(rehearsal);
}

test("a transcript that ends after any of its lines is gone on with: nothing twice unless it may be, nothing left out", async () => {
  const { end, text } = await whole();
  const directory = scratch();
  for (let at = text.indexOf("\n"), line = 1; at >= 0; at = text.indexOf("\n", at + 1), line += 1)
    expect(await resumed(join(directory, `${line}.jsonl`), text.subarray(0, at + 1)), `after line ${line}`).toEqual(
      end,
    );
});

test("a transcript that breaks off at any byte is gone on with as well", async () => {
  const { end, text } = await whole();
  const directory = scratch();
  await fc.assert(
    fc.asyncProperty(fc.nat(text.length), async (at) => {
      expect(await resumed(join(directory, `${at}.jsonl`), text.subarray(0, at))).toEqual(end);
    }),
    { numRuns: 80 },
  );
});
