import type { Entry, SessionEvent } from "@troupe/runtime";
import { expect, test } from "vitest";
import { emptyTalk, hear, itemsOf, type Talk } from "./talk.ts";

const entry = (of: Entry): SessionEvent => ({ kind: "entry", entry: { ...of, id: "e", at: "" } });
const piece = (text: string): SessionEvent => ({ kind: "piece", of: "text", text });
const answered = (...content: readonly { readonly type: string; readonly [field: string]: unknown }[]): SessionEvent =>
  entry({
    kind: "answered",
    answer: {
      id: "m",
      model: "m",
      content,
      stopReason: "end_turn",
      usage: { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 },
    },
  });
const text = (words: string) => ({ type: "text", text: words });
const call = (id: string) => ({ type: "tool_use", id, name: "Bash", input: { command: id } });
const result = (id: string): SessionEvent =>
  entry({ kind: "result", call: id, content: [text(`of ${id}`)], isError: false });
const asked = entry({ kind: "asked", result: "r" });

const after = (...events: readonly SessionEvent[]): Talk => events.reduce(hear, emptyTalk);
const told = ({ items }: Talk) =>
  items.map((item) => (item.kind === "call" ? item.call.id : "text" in item ? item.text : ""));

test("words become items block by block as they come in, and none is there twice when the answer is whole", () => {
  const half = after(asked, piece("One.\n\nTw"), piece("o.\n"));
  expect([told(half), half.words]).toEqual([["One."], "Two.\n"]);
  expect(told(hear(half, answered(text("One.\n\nTwo.\n\nThree."))))).toEqual(["One.", "Two.\n\nThree."]);
});

test("what a command colours is shown without its colours", () => {
  const content = [text("\x1b[0m\x1b[01;34msrc\x1b[0m \x1b[2J")];
  const { items } = after(asked, answered(call("a")), entry({ kind: "result", call: "a", content, isError: false }), {
    kind: "shown",
    text: "\x1b[1mbold\x1b[m",
  });
  expect(items).toMatchObject([{ call: { result: { text: "src \x1b[2J" } } }, { text: "bold" }]);
});

test("calls become items when they are over, in the order in which they were made", () => {
  const running = after(asked, answered(text("I look."), call("a"), call("b")), result("b"));
  expect([told(running), running.calls.length]).toEqual([["I look."], 2]);
  expect(told(hear(running, result("a")))).toEqual(["I look.", "a", "b"]);
});

test("words that an interrupt cut off stay, and it is said what happened", () => {
  const cut = after(asked, piece("Half of"), entry({ kind: "aborted", reason: "user_interrupt" }));
  expect(told(cut)).toEqual(["Half of", "Interrupted. Say what to do instead."]);
});

test("an answer that failed is said, and one that something more urgent replaced is not", () => {
  const failed = (kind: "server" | "superseded", message = "overloaded") =>
    told(after(asked, entry({ kind: "failed", failure: { kind, message }, during: "answer" })));
  expect(failed("server")).toEqual(["The model did not answer: overloaded"]);
  expect(failed("superseded")).toEqual([]);
  const json = '401 {"type":"error","error":{"type":"authentication_error","message":"invalid \\"key\\""}}';
  expect(failed("server", json)).toEqual(['The model did not answer: invalid "key" (401)']);
});

test.each([
  ["human", "hello", [{ kind: "person", text: "hello" }]],
  [
    "human",
    "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>it</command-args>",
    [{ kind: "person", text: "/review it" }],
  ],
  ["human", "<bash-input>ls</bash-input>", []],
  ["human", "<system-reminder>x</system-reminder>", []],
] as const)("[UI-05] of what %s words carry a person sees what they said: %j", (kind, words, items) => {
  expect(itemsOf([text(words)], { kind })).toEqual(items);
});

test("[UI-05] mail and notices are shown by what they say, without the tags that are for the model", () => {
  const mail = '<teammate-message teammate_id="ann" color="blue">\nDone.\n</teammate-message>';
  expect(itemsOf([text(mail)], { kind: "teammate", name: "ann" })).toEqual([
    { kind: "mail", from: "ann", text: "Done." },
  ]);
  const plan = `<teammate-message teammate_id="ann">\n{"type":"x"}\n</teammate-message>`;
  expect(itemsOf([text(plan), text("What to do.")], { kind: "teammate", name: "ann" })).toEqual([
    { kind: "mail", from: "ann", text: '{"type":"x"}\nWhat to do.' },
  ]);
  const notice = "<task-notification>\n<task-id>1</task-id>\n<summary>Agent done</summary>\n</task-notification>";
  expect(itemsOf([text(notice)], { kind: "task-notification", task: "1" })).toEqual([
    { kind: "notice", text: "Agent done" },
  ]);
});
