import type { Entry, Priority, Stored } from "../src/journal/entry.ts";
import { emptyState, reduce, type State } from "../src/journal/state.ts";
import type { Answer, Block } from "../src/model/model.ts";
import { noUsage } from "../src/model/model.ts";

export const words = (text: string): Block => ({ type: "text", text });
export const toolUse = (id: string, name = "Look", input: unknown = {}): Block => ({
  type: "tool_use",
  id,
  name,
  input,
});

export const answerOf = (content: readonly Block[], more: Partial<Answer> = {}): Answer => ({
  id: "msg",
  model: "claude-opus-5-5",
  content,
  stopReason: content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn",
  usage: noUsage,
  ...more,
});

export const input = (id: string, priority: Priority = "next", text = id): Entry => ({
  kind: "input",
  input: { id, priority, origin: { kind: "human" }, content: [words(text)] },
});
export const said = (text: string, ...inputs: readonly string[]): Entry => ({
  kind: "said",
  content: [words(text)],
  inputs,
});
export const called = (call: string, isReplayable = false): Entry => ({ kind: "called", call, isReplayable });
export const result = (call: string, text = `result of ${call}`): Entry => ({
  kind: "result",
  call,
  content: [words(text)],
  isError: false,
});

/** A request and its answer, as the loop writes them. */
export const answered = (content: readonly Block[], more: Partial<Answer> = {}): readonly Entry[] => [
  { kind: "asked", result: "" },
  { kind: "answered", answer: answerOf(content, more) },
];

type Entries = (Entry | readonly Entry[])[];

/** Entries with the ids and times of a journal: an answer has the id that its request named. */
export const stored = (...entries: Entries): readonly Stored[] =>
  (entries.flat() as Entry[]).map((entry, at) => {
    const stamp = { id: `e${at}`, at: new Date(at).toISOString() };
    return entry.kind === "asked" && entry.result === ""
      ? { ...entry, result: `e${at + 1}`, ...stamp }
      : { ...entry, ...stamp };
  });

export const fold = (...entries: Entries): State => stored(...entries).reduce(reduce, emptyState);
