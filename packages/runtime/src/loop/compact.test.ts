import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { entriesIn, human, ok, play, rehearse, talkIn, talkOf, tool } from "../../test/rehearsal.ts";
import { scratch } from "../../test/scratch.ts";
import type { FrozenRequest } from "../model/frozen.ts";
import type { Block, ModelFailure } from "../model/model.ts";
import { type Script, scriptedModel } from "../model/scripted.ts";
import type { CompactVerdict, Ports } from "./ports.ts";

const tooLong: ModelFailure = { kind: "overflow", message: "prompt is too long" };
const full = (content: readonly Block[]) => ({
  content,
  usage: { input: 100_000, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 },
});
const isSummary = ({ messages }: FrozenRequest) =>
  messages.at(-1)?.blocks.some((block) => block.includes("Do not call tools")) === true;

/** A run whose compactions are put to somebody. */
async function played(script: Script, more: Partial<Ports> = {}) {
  const path = join(scratch(), "s.jsonl");
  const look = tool("Look", () => ok("seen"), { isReplayable: true });
  const rehearsal = rehearse({ path, model: scriptedModel(script), tools: [look], inbox: [human("i1", "next", "go")] });
  const { terminal } = await play({ ...rehearsal, ports: { ...rehearsal.ports, ...more } });
  return { ...rehearsal, terminal, talk: talkIn(rehearsal), summaries: rehearsal.requests.map(isSummary), path };
}

describe("a summary that somebody may forbid", () => {
  const forbids =
    (asked: string[]) =>
    async (trigger: string): Promise<CompactVerdict> => {
      asked.push(trigger);
      return { compacts: false, because: "not now" };
    };

  test("a summary that is forbidden is done without, and asked about again in the next round, once in each", async () => {
    const asked: string[] = [];
    const server: ModelFailure = { kind: "server", message: "try again" };
    const script = [full([toolUse("t1")]), server, server, full([toolUse("t2")]), [words("done")]];
    const { terminal, summaries, talk } = await played(script, { mayCompact: forbids(asked) });
    expect(asked).toEqual(["auto", "auto"]);
    expect(summaries).toEqual([false, false, false, false, false]);
    expect(talk).toHaveLength(6);
    expect(terminal).toMatchObject({ isOk: true, text: "done" });
  });
  test("a summary that is forbidden ends the run with the reason where nothing can be sent without it", async () => {
    const asked: string[] = [];
    const { terminal, requests } = await played([[toolUse("t1")], tooLong], { mayCompact: forbids(asked) });
    expect(asked).toEqual(["overflow"]);
    expect(terminal).toMatchObject({ why: "overflow", failure: { message: "not now" } });
    expect(requests).toHaveLength(2);
  });
  test("a summary is not asked for when the run is aborted meanwhile", async () => {
    const path = join(scratch(), "s.jsonl");
    const script = [full([toolUse("t1")]), [words("never")]];
    const look = tool("Look", () => ok("seen"));
    const rehearsal = rehearse({ path, model: scriptedModel(script), tools: [look], inbox: [human("i1")] });
    const aborting = new AbortController();
    const mayCompact = async (): Promise<CompactVerdict> => {
      aborting.abort("hook_stopped");
      return { compacts: true };
    };
    const ports = { ...rehearsal.ports, mayCompact };
    const { terminal } = await play({ ...rehearsal, ports }, aborting.signal);
    expect(terminal).toMatchObject({ why: "aborted", reason: "hook_stopped" });
    expect(rehearsal.requests).toHaveLength(1);
  });
});

test("what a summary is to heed is asked for with it, and what is told afterwards stands behind it", async () => {
  const summaries: string[] = [];
  const { requests, talk, path } = await played([full([toolUse("t1")]), [words("We looked.")], [words("done")]], {
    mayCompact: async () => ({ compacts: true, instructions: "Keep the names." }),
    compacted: async (trigger, summary) => {
      summaries.push(`${trigger}: ${summary}`);
      return ["The branch is main."];
    },
  });
  expect(requests[1]?.messages.at(-1)?.blocks.at(-1)).toContain("Keep the names.");
  expect(summaries).toEqual([expect.stringMatching(/^auto: (.|\n)*We looked\.$/)]);
  expect(talk[0]?.content).toEqual([words(expect.stringMatching(/We looked\.\n\nThe branch is main\.$/) as never)]);
  expect(entriesIn(path).filter(({ kind }) => kind === "compacted")).toHaveLength(1);
});

describe("a summary whose own request is too long", () => {
  const thinking = { type: "thinking", thinking: "hm", signature: "s" };
  const round = (at: number) => [thinking, words(`step ${at}`), toolUse(`t${at}`)];
  const rounds = (count: number) =>
    Array.from({ length: count }, (_, at) => (at + 1 < count ? round(at + 1) : full(round(at + 1))));
  const stepsIn = ({ messages }: FrozenRequest) =>
    messages.flatMap(({ blocks }) => blocks.flatMap((block) => /step \d+/.exec(block)?.[0] ?? []));

  test("a summary whose own request is too long leaves out the older half of the rounds, three times at most, and keeps what was asked for first", async () => {
    const script = [...rounds(9), tooLong, tooLong, tooLong, [words("We looked.")], [words("done")]];
    const { requests, terminal, talk } = await played(script);
    const summaries = requests.filter(isSummary);
    expect(summaries.map((request) => stepsIn(request).length)).toEqual([9, 4, 2, 1]);
    expect(stepsIn(summaries[2] as FrozenRequest)).toEqual(["step 8", "step 9"]);
    expect(summaries.map(({ messages }) => messages[0]?.blocks)).toEqual(
      Array(4).fill(['{"type":"text","text":"go"}']),
    );
    expect(talk[0]?.content[0].text).toContain("Older steps did not fit");
    expect(terminal).toMatchObject({ isOk: true, text: "done" });
  });
  test("a summary whose own request is too long keeps the prefix, every call with its result, and no thinking, which is bound to what stood before it", async () => {
    const { requests } = await played([...rounds(4), tooLong, [words("We looked.")], [words("done")]]);
    const [whole, half] = requests.filter(isSummary) as [FrozenRequest, FrozenRequest];
    expect([half.key, half.tools, half.system]).toEqual([whole.key, whole.tools, whole.system]);
    const blocks = talkOf(half.messages).flatMap(({ content }) => content);
    const ids = (type: string, id: string) => blocks.filter((one) => one.type === type).map((one) => one[id]);
    expect(ids("tool_use", "id")).toEqual(["t3", "t4"]);
    expect(ids("tool_result", "tool_use_id")).toEqual(["t3", "t4"]);
    expect(ids("thinking", "signature")).toEqual([]);
    expect(talkOf(whole.messages).flatMap(({ content }) => content)).toContainEqual(thinking);
    expect(half.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
  });
  test("a summary whose own request is too long ends the run when nothing is left that could be left out", async () => {
    const { requests, terminal } = await played([...rounds(2), tooLong, tooLong]);
    expect(requests.filter(isSummary).map((request) => stepsIn(request).length)).toEqual([2, 1]);
    expect(terminal).toMatchObject({ why: "overflow", failure: tooLong });
  });
  test("a summary whose own request is too long ends the run after the third time, however many rounds there are", async () => {
    const { requests, terminal } = await played((request, nth) =>
      isSummary(request) ? tooLong : (rounds(40)[nth] ?? []),
    );
    expect(requests.filter(isSummary).map((request) => stepsIn(request).length)).toEqual([40, 20, 10, 5]);
    expect(terminal).toMatchObject({ why: "overflow" });
  });
});
