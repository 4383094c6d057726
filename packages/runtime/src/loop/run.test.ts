import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { entriesIn, human, isPrefixChain, ok, play, rehearse, talkIn, tool, type World } from "../../test/rehearsal.ts";
import { scratch } from "../../test/scratch.ts";
import type { Block, FailureKind, ModelFailure } from "../model/model.ts";
import { type Script, scriptedModel } from "../model/scripted.ts";

const fail = (kind: FailureKind, more: Partial<ModelFailure> = {}): ModelFailure => ({ kind, message: kind, ...more });
const look = tool("Look", () => ok("seen"), { isReplayable: true });
const filled = (input: number) => ({ input, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 });
const say = (content: readonly Block[], stopReason: string) => ({ content, stopReason });

/** One message, and what the model says to it. */
const worldOf = (script: Script, more: Partial<World> = {}): World => ({
  path: join(scratch(), "s.jsonl"),
  model: scriptedModel(script),
  tools: [look],
  inbox: [human("i1", "next", "go")],
  ...more,
});

const played = async (script: Script, more: Partial<World> = {}) => {
  const rehearsal = rehearse(worldOf(script, more));
  const { terminal } = await play(rehearsal);
  return { ...rehearsal, rehearsal, terminal, talk: talkIn(rehearsal) };
};

test("every request begins with all that the one before it sent", async () => {
  const tools = Array.from({ length: 25 }, (_, at) => toolUse(`a${at}`));
  const script = [[words("I look"), toolUse("t1")], tools, fail("server"), [toolUse("t2")], [words("done")]];
  const { requests, terminal } = await played(script);
  expect(terminal).toEqual({ isOk: true, why: "completed", text: "done" });
  expect(requests).toHaveLength(5);
  expect(isPrefixChain(requests)).toBe(true);
});

test("nothing to do is no run", async () => {
  const { terminal, requests } = await played([], { inbox: [] });
  expect([terminal, requests]).toEqual([undefined, []]);
});

test("a run goes on after its end when something more is said", async () => {
  const rehearsal = rehearse(worldOf([[words("one")], [words("two")]]));
  expect(await play(rehearsal)).toMatchObject({ terminal: { text: "one" } });
  expect(await play(rehearsal)).toMatchObject({ terminal: undefined });
  rehearsal.tell(human("i2", "later", "and?"));
  expect(await play(rehearsal)).toMatchObject({ terminal: { text: "two" } });
  expect(isPrefixChain(rehearsal.requests)).toBe(true);
});

describe("an answer that is not whole", () => {
  test("an answer whose call was cut runs nothing, answers the call, and is asked for again with more room", async () => {
    const ran: unknown[] = [];
    const write = tool("Write", (input) => ok(String(ran.push(input))));
    const cut = say([toolUse("t1", "Write", { half: 1 })], "max_tokens");
    const { talk, requests } = await played([cut, [toolUse("t2", "Write", { whole: 1 })], [words("done")]], {
      tools: [write],
    });
    expect(ran).toEqual([{ whole: 1 }]);
    expect(talk[2]?.content).toMatchObject([{ type: "tool_result", tool_use_id: "t1", is_error: true }]);
    expect(requests.map(({ maxTokens }) => maxTokens)).toEqual([100, 200, 100]);
  });
  test("an answer whose calls are cut again and again ends the run", async () => {
    const { terminal, requests } = await played(() => say([toolUse("t1")], "max_tokens"));
    expect(terminal).toMatchObject({ isOk: false, why: "model_error" });
    expect(requests).toHaveLength(3);
  });
  test("an answer whose text was cut is gone on with, with more room, up to a limit", async () => {
    const { talk, requests, terminal } = await played(() => say([words("…")], "max_tokens"));
    expect(requests.map(({ maxTokens }) => maxTokens)).toEqual([100, 200, 400]);
    expect(talk.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user", "assistant"]);
    expect(terminal).toMatchObject({ isOk: true });
  });
  test("an empty answer is asked for again by words, since the same request would get the same answer", async () => {
    const { talk, terminal } = await played([[], [words("yes")]]);
    expect(talk.map(({ role, content }) => [role, content.length])).toEqual([
      ["user", 1],
      ["user", 1],
      ["assistant", 1],
    ]);
    expect(terminal).toMatchObject({ isOk: true, text: "yes" });
  });
  test("a paused answer is sent back as it is, and goes on in one message", async () => {
    const search = { type: "server_tool_use", id: "srv", name: "web_search", input: {} };
    const { talk, requests } = await played([say([search], "pause_turn"), [words("found")]]);
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(talk[1]?.content).toEqual([search, words("found")]);
    expect(isPrefixChain(requests)).toBe(true);
  });
  test("an answer that is paused for ever comes to the limit of turns", async () => {
    const { requests, terminal } = await played(() => say([words(".")], "pause_turn"), { limits: { maxTurns: 3 } });
    expect([requests.length, terminal?.why]).toEqual([3, "max_turns"]);
  });
  test("a refused answer ends the run", async () => {
    const { terminal } = await played([say([words("I would rather")], "refusal")]);
    expect(terminal).toEqual({ isOk: false, why: "refusal", text: "I would rather" });
  });
});

describe("what bounds a run", () => {
  test("turns: the limit is reached with that many answers, and the last request writes no cache", async () => {
    const { terminal, requests } = await played(() => [toolUse("t")], { limits: { maxTurns: 2 } });
    expect(terminal).toMatchObject({ why: "max_turns" });
    expect(requests.map(({ marks }) => marks.length)).toEqual([2, 2]);
    expect(requests[1]?.marks).not.toContainEqual({ message: 2, block: 0 });
  });
  test("tokens", async () => {
    const { terminal, requests } = await played(() => ({ content: [toolUse("t")], usage: filled(60) }), {
      limits: { maxTokens: 100 },
    });
    expect([terminal?.why, requests.length]).toEqual(["budget", 2]);
  });
});

describe("a failure", () => {
  test("a failure that passes is tried again, each time later, and the time that the API names goes first", async () => {
    const script = [fail("server"), fail("overloaded"), fail("rate_limited", { retryAfterMs: 42 }), [words("done")]];
    const { sleeps, terminal } = await played(script);
    expect([sleeps, terminal?.isOk]).toEqual([[500, 1_000, 42], true]);
  });
  test("too often ends the run with the last reason", async () => {
    const { terminal, requests } = await played(() => fail("network"));
    expect(terminal).toMatchObject({ why: "model_error", failure: { kind: "network" } });
    expect(requests).toHaveLength(4);
  });
  test.each(["spend_limited", "unauthorized", "invalid"] as const)(
    "that stays is not tried again: %s",
    async (kind) => {
      const { terminal, requests, sleeps } = await played([fail(kind)]);
      expect([terminal, requests.length, sleeps]).toMatchObject([{ why: "model_error", failure: { kind } }, 1, []]);
    },
  );
});

describe("a conversation that grows too long", () => {
  const summary = [words("We looked.")];
  const isSummary = (block: string | undefined) => block?.includes("Do not call tools") === true;
  const summaries = (requests: readonly { messages: readonly { blocks: readonly string[] }[] }[]) =>
    requests.map(({ messages }) => isSummary(messages.at(-1)?.blocks.at(-1)));

  test("a conversation that grows too long is summarised before the next request, with the prefix that was sent, and goes on", async () => {
    const script: Script = [{ content: [toolUse("t1")], usage: filled(100_000) }, summary, [words("done")]];
    const { requests, terminal, talk } = await played(script);
    expect([summaries(requests), terminal?.isOk]).toEqual([[false, true, false], true]);
    expect(isPrefixChain(requests.slice(0, 2))).toBe(true);
    expect(requests[2]?.messages).toHaveLength(1);
    expect(talk[0]?.content[0].text).toContain("We looked.");
  });
  test("again is summarised again", async () => {
    const long = { content: [toolUse("t1")], usage: filled(100_000) };
    const { requests, terminal } = await played([long, summary, long, summary, [words("done")]]);
    expect([summaries(requests), terminal?.isOk]).toEqual([[false, true, false, true, false], true]);
  });
  test("for the API is summarised without its newest step, once", async () => {
    const { requests, terminal, talk } = await played([[toolUse("t1")], fail("overflow"), summary, fail("overflow")]);
    expect(summaries(requests)).toEqual([false, false, true, false]);
    expect(requests[2]?.messages.map(({ blocks }) => blocks.length)).toEqual([2]);
    expect(talk[0]?.content[0].text).toContain("its results are lost");
    expect(terminal).toMatchObject({ why: "overflow" });
  });
  test("for an answer is summarised as well, once", async () => {
    const { requests, terminal } = await played([
      [toolUse("t1")],
      say([], "model_context_window_exceeded"),
      summary,
      say([], "model_context_window_exceeded"),
    ]);
    expect([summaries(requests), terminal?.why]).toEqual([[false, false, true, false], "overflow"]);
  });
  test.each([[[toolUse("t2")]], [[]], [say([words("I will not")], "refusal")]])(
    "is not replaced by an answer that is no summary: %j",
    async (answer) => {
      const { terminal, talk } = await played([{ content: [toolUse("t1")], usage: filled(100_000) }, answer]);
      expect(terminal).toMatchObject({ why: "model_error" });
      expect(talk[0]?.content).toEqual([words("go")]);
    },
  );
  test("costs what its summary costs", async () => {
    const { ports } = await played([
      { content: [toolUse("t1")], usage: filled(100_000) },
      { content: summary, usage: filled(7) },
      [words("done")],
    ]);
    expect(ports.journal.state().usage).toEqual(filled(100_007));
  });
});

describe("a hook that keeps the agent from stopping", () => {
  test("a hook that keeps the agent from stopping is heard up to the limit, and told that it was heard before", async () => {
    const asked: [string, boolean][] = [];
    const mayStop: World["mayStop"] = async (text, isActive) => {
      asked.push([text, isActive]);
      return { stops: false, because: "The tests are red." };
    };
    const { terminal, talk } = await played([[words("a")], [words("b")], [words("c")]], { mayStop });
    expect(asked).toEqual([
      ["a", false],
      ["b", true],
    ]);
    expect(talk[2]?.content).toEqual([words("The tests are red.")]);
    expect(terminal).toMatchObject({ isOk: true, text: "c" });
  });
});

test("the prefix is asked for once in the life of a conversation", async () => {
  const world = worldOf(() => [words("yes")]);
  const first = rehearse(world);
  await play(first);
  const second = rehearse({ ...world, inbox: [human("i2")] });
  const other = { ...second.ports, prefix: () => Promise.reject(new Error("asked again")) };
  await play({ ...second, ports: other });
  expect(isPrefixChain([...first.requests, ...second.requests])).toBe(true);
  expect(entriesIn(world.path).filter(({ kind }) => kind === "prefix")).toHaveLength(1);
});
