import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import {
  human,
  identity,
  isPrefixChain,
  ok,
  openTranscript,
  play,
  rehearse,
  talkIn,
  talkOf,
  tool,
} from "../../test/rehearsal.ts";
import { scratch } from "../../test/scratch.ts";
import { bytesOf, type FrozenRequest, prefixHashes } from "../model/frozen.ts";
import { scriptedModel } from "../model/scripted.ts";
import { directive, forkPlaceholder } from "./fork.ts";
import { type Journal, openJournal } from "./journal.ts";
import { conversationOf } from "./state.ts";

const thinking = { type: "thinking", thinking: "two of them", signature: "c2ln" };
const agents = [toolUse("t1", "Agent", { "2": "b", "1": "a" }), toolUse("t2", "Agent", { prompt: "b" })];

/**
 * A parent that has talked for a while and then starts two forks in one answer, with children that
 * have a directive each.
 */
async function family() {
  const directory = scratch();
  const agent = tool("Agent", () => ok(forkPlaceholder), { isConcurrent: () => true });
  const model = scriptedModel([
    [toolUse("t0", "None")],
    [thinking, words("I start two"), ...agents],
    [words("started")],
  ]);
  const parent = rehearse({
    path: join(directory, "parent.jsonl"),
    model,
    tools: [agent],
    inbox: [human("i1", "next", "go")],
  });
  const { events } = await play(parent);
  const answers = events.flatMap((event) =>
    event.kind === "entry" && event.entry.kind === "answered" ? [event.entry.id] : [],
  );
  const fork = { transcript: join(directory, "parent.jsonl"), line: answers[1] ?? "" };
  const begin = async (name: string, task: string) => {
    const path = join(directory, `${name}.jsonl`);
    openJournal({ path, identity, now: () => new Date(), newId: randomUUID, fork }).close();
    const child = rehearse({
      path,
      model: scriptedModel([[words(`${name} is done`)]]),
      inbox: [{ ...human("d"), content: directive(task) }],
    });
    const { terminal } = await play({
      ...child,
      ports: { ...child.ports, prefix: () => Promise.reject(new Error("rendered again")) },
    });
    expect(terminal).toMatchObject({ isOk: true, text: `${name} is done` });
    return { child, path, request: child.requests[0] as FrozenRequest };
  };
  return { directory, fork, parent, one: await begin("one", "test it"), two: await begin("two", "review it") };
}

test("[FORK-06] [FORK-08] [FORK-10] a fork has its parent's system prompt, tools and model as the bytes that were sent", async () => {
  const { parent, one } = await family();
  const [sent] = parent.requests;
  expect([one.request.system, one.request.tools, one.request.key.model]).toEqual([
    sent?.system,
    sent?.tools,
    sent?.key.model,
  ]);
});

test("[FORK-09] a fork thinks as its parent does, with the same effort and the same betas", async () => {
  const { parent, one } = await family();
  expect(one.request.key).toEqual(parent.requests[0]?.key);
});

test("[FORK-07] [FORK-11] a fork is sent its parent's whole conversation, the answer that started it, and one message of its own", async () => {
  const { parent, one } = await family();
  const [past, answer, own] = [
    one.request.messages.slice(0, -2),
    one.request.messages.at(-2),
    one.request.messages.at(-1),
  ];
  expect(past).toEqual(parent.requests[1]?.messages);
  expect(answer).toEqual(parent.requests[2]?.messages.at(-2));
  expect(talkOf(own ? [own] : [])[0]).toMatchObject({
    role: "user",
    content: [{ type: "tool_result" }, { type: "tool_result" }, { type: "text" }],
  });
});

test("[FORK-12] every call of the shared answer has the same words for its result, in the parent as in the forks", async () => {
  const { parent, one, two } = await family();
  const own = talkOf(one.request.messages).at(-1)?.content.slice(0, 2);
  expect(own).toEqual(
    ["t1", "t2"].map((id) => ({
      type: "tool_result",
      tool_use_id: id,
      content: [words("Fork started — processing in background")],
    })),
  );
  expect(two.request.messages.at(-1)?.blocks.slice(0, 2)).toEqual(one.request.messages.at(-1)?.blocks.slice(0, 2));
  expect(parent.requests[2]?.messages.at(-1)?.blocks).toEqual(one.request.messages.at(-1)?.blocks.slice(0, 2));
});

test("[FORK-13] forks share every position of the prompt but the last with each other, and with their parent all up to their directive", async () => {
  const { parent, one, two } = await family();
  const [first, second] = [prefixHashes(one.request), prefixHashes(two.request)];
  expect(first.slice(0, -1)).toEqual(second.slice(0, -1));
  expect(first.at(-1)).not.toBe(second.at(-1));
  expect(prefixHashes(parent.requests[2] as FrozenRequest)).toEqual(first.slice(0, -1));
  const unmarked = (request: FrozenRequest) => bytesOf({ ...request, marks: [], maxTokens: 1 });
  const shared = unmarked(parent.requests[2] as FrozenRequest).slice(0, -"]}]}".length);
  for (const { request } of [one, two]) expect(unmarked(request).startsWith(shared)).toBe(true);
});

test("a fork marks the end of what it shares, and never more than four places", async () => {
  const { one, two } = await family();
  expect(one.request.marks).toEqual([
    "system",
    { message: 2, block: 0 },
    { message: 4, block: 1 },
    { message: 4, block: 2 },
  ]);
  expect(two.request.marks).toEqual(one.request.marks);
});

describe("the transcript of a fork", () => {
  test("the transcript of a fork holds a pointer and its own words, not a copy", async () => {
    const { one } = await family();
    expect(readFileSync(one.path, "utf8")).not.toContain("I start two");
  });
  test("the transcript of a fork is opened again with the whole conversation, and gone on with", async () => {
    const { one } = await family();
    const journal = openTranscript(one.path);
    expect(journal.state()).toEqual(one.child.ports.journal.state());
    const again = rehearse({ path: one.path, model: scriptedModel([[words("more")]]), inbox: [human("i2")] });
    await play(again);
    expect(isPrefixChain([one.request, ...again.requests])).toBe(true);
    expect(talkIn(again)).toHaveLength(8);
  });
  test("the transcript of a fork does not change when the parent goes on", async () => {
    const { one, parent } = await family();
    const before = one.child.ports.journal.state();
    parent.ports.journal.append({
      kind: "compacted",
      summary: "s",
      trigger: "manual",
      preTokens: 1,
      usage: before.usage,
    });
    expect(openTranscript(one.path).state()).toEqual(before);
  });
  test("the transcript of a fork cannot be forked, and a line that the parent does not have is said", async () => {
    const { one, fork, directory } = await family();
    const open = (name: string, point: typeof fork): Journal =>
      openJournal({ path: join(directory, name), identity, now: () => new Date(), newId: randomUUID, fork: point });
    const line = one.child.ports.journal.state().lastLine ?? "";
    expect(() => open("x.jsonl", { transcript: one.path, line })).toThrow("a fork cannot be forked");
    expect(() => open("y.jsonl", { ...fork, line: "nowhere" })).toThrow("has no line nowhere");
    expect(() => open("z.jsonl", { ...fork, transcript: join(directory, "none") })).toThrow("cannot be read");
  });
});

test("[FORK-19] a conversation that began as a fork is known for one, by its journal or by the tag in its history", async () => {
  const { one, parent, directory } = await family();
  expect(one.child.ports.journal.state().isFork).toBe(true);
  expect(parent.ports.journal.state().isFork).toBe(false);
  for (const tag of ["<fork-boilerplate>", "<claude:fork-boilerplate>"]) {
    const path = join(directory, `${tag.length}.jsonl`);
    const model = scriptedModel([[words("yes")], [words("yes")]]);
    const foreign = rehearse({ path, model, inbox: [human("i1", "next", `${tag}\nYou are a fork`)] });
    foreign.ports.journal.append({ kind: "said", content: [words(tag)], inputs: ["x"] });
    expect(foreign.ports.journal.state().isFork).toBe(true);
    await play(foreign);
    expect(openTranscript(path).state().isFork).toBe(true);
  }
  const talk = conversationOf(parent.ports.journal.state());
  expect(talk.every(({ blocks }) => blocks.every((block) => !block.includes("fork-boilerplate")))).toBe(true);
});
