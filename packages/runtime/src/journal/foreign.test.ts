import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { human, ok, openTranscript, play, rehearse, talkIn, talkOf, tool } from "../../test/rehearsal.ts";
import { scratch } from "../../test/scratch.ts";
import { scriptedModel } from "../model/scripted.ts";
import { conversationOf } from "./state.ts";

let line = 0;
const common = (type: string, more: object) => ({
  parentUuid: line === 0 ? null : `u${line}`,
  isSidechain: false,
  userType: "external",
  cwd: "/p",
  sessionId: "s0",
  version: "2.1.118",
  gitBranch: "main",
  type,
  uuid: `u${++line}`,
  timestamp: "2026-11-01T10:00:00.000Z",
  ...more,
});
const user = (content: unknown, more: object = {}) => common("user", { message: { role: "user", content }, ...more });
const usage = { input_tokens: 3, cache_creation_input_tokens: 4, cache_read_input_tokens: 5, output_tokens: 6 };
/** The reference client writes one line a block, all with the id of the message. */
const assistant = (id: string, block: object, more: object = {}) =>
  common("assistant", {
    message: {
      id,
      type: "message",
      role: "assistant",
      model: "claude-opus-5-5",
      content: [block],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
    requestId: "req_1",
    ...more,
  });
const toolResult = (id: string, content: unknown, more: object = {}) =>
  user([{ tool_use_id: id, type: "tool_result", content, ...more }], { toolUseResult: { stdout: "" } });
const say = (text: string) => ({ type: "text", text });
const call = (id: string, name = "Look") => ({ type: "tool_use", id, name, input: {} });
const thinking = { type: "thinking", thinking: "hm", signature: "c2ln" };

/** A transcript that the reference client has written, and the agent that goes on with it. */
function found(...lines: readonly object[]) {
  const path = join(scratch(), "s0.jsonl");
  writeFileSync(path, lines.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const ran: string[] = [];
  const look = tool("Look", (_, __, id) => ok(String(ran.push(id))));
  const goOn = async () => {
    const rehearsal = rehearse({
      path,
      model: scriptedModel([[say("done")], [say("done")]]),
      tools: [look],
      inbox: [human("i1", "next", "go on")],
    });
    const { terminal } = await play(rehearsal);
    expect(terminal).toMatchObject({ isOk: true, text: "done" });
    return talkIn(rehearsal);
  };
  return { ran, goOn, state: () => openTranscript(path).state() };
}

const talkFrom = (lines: readonly object[]) => talkOf(conversationOf(found(...lines).state()));

const session = [
  { type: "file-history-snapshot", messageId: "m", snapshot: { trackedFileBackups: {} }, isSnapshotUpdate: false },
  { type: "summary", summary: "An old title", leafUuid: "u0" },
  user("<command-name>/clear</command-name>", { isMeta: true }),
  user("look at both"),
  assistant("msg_1", thinking),
  assistant("msg_1", say("I look")),
  assistant("msg_1", call("t1")),
  assistant("msg_1", call("t2")),
  toolResult("t2", "two", { is_error: true }),
  toolResult("t1", [say("one")]),
  assistant("msg_2", say("Both are fine.")),
  common("system", { subtype: "turn_duration", durationMs: 5 }),
];

const talk = [
  { role: "user", content: [say("<command-name>/clear</command-name>"), say("look at both")] },
  { role: "assistant", content: [thinking, say("I look"), call("t1"), call("t2")] },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "t1", content: [say("one")] },
      { type: "tool_result", tool_use_id: "t2", content: [say("two")], is_error: true },
    ],
  },
  { role: "assistant", content: [say("Both are fine.")] },
];

test("[STORE-02] a session of the reference client is the conversation that it was, and can be gone on with", async () => {
  expect(talkFrom(session)).toEqual(talk);
  expect(found(...session).state()).toMatchObject({
    tokens: 18,
    answer: { text: "Both are fine." },
    lastLine: `u${session.length - 3}`,
  });
  const { goOn } = found(...session);
  expect(await goOn()).toEqual([
    ...talk,
    { role: "user", content: [say("go on")] },
    { role: "assistant", content: [say("done")] },
  ]);
});

test("after a boundary, a session of the reference client begins with its summary", async () => {
  const boundary = common("system", {
    subtype: "compact_boundary",
    content: "Conversation compacted",
    isMeta: false,
    level: "info",
    compactMetadata: { trigger: "manual", preTokens: 900 },
  });
  const summary = user("This session is being continued. We looked at both.", {
    isCompactSummary: true,
    isVisibleInTranscriptOnly: true,
  });
  const { goOn, state } = found(...session, boundary, summary);
  const begin = say("This session is being continued. We looked at both.");
  expect(talkOf(conversationOf(state()))).toEqual([{ role: "user", content: [begin] }]);
  expect(await goOn()).toEqual([
    { role: "user", content: [begin, say("go on")] },
    { role: "assistant", content: [say("done")] },
  ]);
});

test("sidechains that stand in the file of a session are not its conversation; in a file of their own they are", () => {
  const side = [user("other work", { isSidechain: true }), assistant("msg_9", say("done"), { isSidechain: true })];
  expect(talkFrom([...session.slice(0, 6), ...side, ...session.slice(6)])).toEqual(talk);
  expect(talkFrom(side)).toEqual([
    { role: "user", content: [say("other work")] },
    { role: "assistant", content: [say("done")] },
  ]);
});

test("what the client says in place of the model, of an error of the API, is not the model's", () => {
  const error = assistant("msg_e", say("API Error: 529"), { isApiErrorMessage: true });
  expect(talkFrom([...session, error])).toEqual(talk);
});

test("a call that the reference client began and never answered is not run again", async () => {
  const { goOn, ran } = found(...session, user("again"), assistant("msg_3", call("t3")));
  const end = await goOn();
  expect(ran).toEqual([]);
  expect(end.at(-2)).toMatchObject({ content: [{ tool_use_id: "t3", is_error: true }, say("go on")] });
});

test("results between the blocks of one answer stand behind what they answer", () => {
  const lines = [
    user("go"),
    assistant("m", call("t1")),
    toolResult("t1", "one"),
    assistant("m", call("t2")),
    toolResult("t2", "two"),
  ];
  expect(talkFrom(lines).map(({ content }) => content.map((block) => block.id ?? block.tool_use_id ?? "go"))).toEqual([
    ["go"],
    ["t1"],
    ["t1"],
    ["t2"],
    ["t2"],
  ]);
});
