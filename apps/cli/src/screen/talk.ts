import type { Block, Entry, SessionEvent, Terminal } from "@troupe/runtime";
import type { Printed } from "../paint.ts";
import { uncoloured } from "../visible.ts";
import { splitFinished } from "./markdown.ts";

/** A call of a tool, as a person sees it. */
export interface SeenCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly hasBegun: boolean;
  /** Absent while it runs. */
  readonly result?: { readonly text: string; readonly isError: boolean };
}

/** What stands in a conversation for good. */
export type Item =
  | { readonly kind: "person"; readonly text: string }
  | { readonly kind: "words"; readonly text: string }
  | { readonly kind: "call"; readonly call: SeenCall }
  | { readonly kind: "mail"; readonly from: string; readonly text: string }
  | { readonly kind: "plan"; readonly from: string | undefined; readonly text: string }
  /** A question with all that it is about. */
  | { readonly kind: "whole"; readonly blocks: readonly Printed[] }
  | { readonly kind: "notice" | "fault"; readonly text: string };

/** A conversation as a person follows it. */
export interface Talk {
  readonly items: readonly Item[];
  /** Words of the model that come in and are no whole block yet. */
  readonly words: string;
  /** How many characters of this answer stand among the items. */
  readonly shown: number;
  readonly calls: readonly SeenCall[];
  readonly doing: "resting" | "asking" | "thinking" | "speaking" | "calling";
}

export const emptyTalk: Talk = { items: [], words: "", shown: 0, calls: [], doing: "resting" };

export const withItem = (talk: Talk, ...items: readonly Item[]): Talk => ({
  ...talk,
  items: [...talk.items, ...items],
});

/** The conversation after an event of it. */
export function hear(talk: Talk, event: SessionEvent): Talk {
  switch (event.kind) {
    case "piece":
      if (event.of === "text") return spoken({ ...talk, words: talk.words + event.text, doing: "speaking" });
      return event.of === "thinking" ? { ...talk, doing: "thinking" } : talk;
    case "entry":
      return noted(talk, event.entry);
    case "turn_ended":
      return { ...flushed(talk, true), doing: "resting" };
    case "shown":
      return event.text === "" ? talk : withItem(talk, { kind: "notice", text: uncoloured(event.text) });
    default:
      return talk;
  }
}

/** The whole blocks among the words become items: what is above them never changes again. */
function spoken(talk: Talk): Talk {
  const { finished, rest } = splitFinished(talk.words);
  if (finished === "") return talk;
  const shown = talk.shown + talk.words.length - rest.length;
  return { ...withItem(talk, { kind: "words", text: finished }), words: rest, shown };
}

function noted(talk: Talk, entry: Entry): Talk {
  switch (entry.kind) {
    case "input":
      return withItem(talk, ...itemsOf(entry.input.content, entry.input.origin));
    case "asked":
      return { ...talk, words: "", shown: 0, doing: "asking" };
    case "answered":
      return answered(talk, entry.answer.content);
    case "called":
      return { ...withCall(talk, entry.call, (call) => ({ ...call, hasBegun: true })), doing: "calling" };
    case "result": {
      const result = { text: uncoloured(textOf(entry.content)), isError: entry.isError };
      return flushed(withCall(talk, entry.call, (call) => ({ ...call, result })));
    }
    case "failed":
      return entry.failure.kind === "superseded" || entry.failure.kind === "aborted"
        ? ended(talk)
        : withItem(ended(talk), {
            kind: "fault",
            text: `The model did not answer: ${messageIn(entry.failure.message)}`,
          });
    case "compacted":
      return withItem(talk, { kind: "notice", text: "The conversation so far was replaced by a summary." });
    case "stop_checked":
      return entry.verdict.stops ? talk : withItem(talk, { kind: "notice", text: entry.verdict.because });
    case "aborted":
      return withItem(ended(talk), { kind: "fault", text: interrupted[entry.reason] ?? "Stopped." });
    case "ended":
      return ofEnd(talk, entry.terminal);
    default:
      return talk;
  }
}

const interrupted: Readonly<Record<string, string>> = {
  user_interrupt: "Interrupted. Say what to do instead.",
  hook_stopped: "A hook stopped the turn.",
};

/** Of an error of the API its own message, where it came as the JSON of the API. */
function messageIn(text: string): string {
  const [, status, message] = /^(\d{3}) .*"message":("(?:[^"\\]|\\.)*")/s.exec(text) ?? [];
  return message === undefined ? text : `${JSON.parse(message)} (${status})`;
}

/** How a turn ended, where that was not said when it happened. */
function ofEnd(talk: Talk, terminal: Terminal): Talk {
  if (terminal.isOk || terminal.why === "aborted" || terminal.why === "model_error") return talk;
  return withItem(ended(talk), { kind: "fault", text: `The turn ended: ${terminal.because ?? terminal.why}.` });
}

/** Words that were cut off stay where a person has read them. */
function ended(talk: Talk): Talk {
  const { words } = talk;
  const kept = words.trim() === "" ? talk : withItem(talk, { kind: "words", text: words });
  return { ...kept, words: "", shown: 0 };
}

function answered(talk: Talk, content: readonly Block[]): Talk {
  const whole = content.flatMap((block) => (block.type === "text" ? [String(block["text"])] : [])).join("");
  const rest = whole.slice(talk.shown);
  const calls = content.flatMap(callIn);
  const said = rest.trim() === "" ? talk : withItem(talk, { kind: "words", text: rest });
  return {
    ...said,
    words: "",
    shown: 0,
    calls: [...talk.calls, ...calls],
    doing: calls.length > 0 ? "calling" : "resting",
  };
}

const callIn = ({ type, id, name, input }: Block): readonly SeenCall[] =>
  type === "tool_use" ? [{ id: String(id), name: String(name), input, hasBegun: false }] : [];

const withCall = (talk: Talk, id: string, change: (call: SeenCall) => SeenCall): Talk => ({
  ...talk,
  calls: talk.calls.map((call) => (call.id === id ? change(call) : call)),
});

/** Calls that are over become items, in the order in which they were made. */
function flushed(talk: Talk, isAll = false): Talk {
  const open = isAll ? -1 : talk.calls.findIndex(({ result }) => result === undefined);
  const over = open < 0 ? talk.calls : talk.calls.slice(0, open);
  if (over.length === 0) return talk;
  const items = over.map((call) => ({ kind: "call", call }) as const);
  return { ...withItem(talk, ...items), calls: talk.calls.slice(over.length) };
}

/** The text of what a tool gave. */
export const textOf = (content: readonly Block[]): string =>
  content.map(({ type, text }) => (type === "text" ? String(text) : `[${type}]`)).join("\n");

type Origin = Extract<Entry, { kind: "input" }>["input"]["origin"];

/**
 * What a person sees of words to the model; what the system adds for the model alone is left out.
 */
export function itemsOf(content: readonly Block[], origin: Origin): readonly Item[] {
  const text = textOf(content);
  if (origin.kind === "teammate") return [{ kind: "mail", from: origin.name, text: withoutTags(text) }];
  if (origin.kind !== "human") {
    const said = /<summary>([\s\S]*?)<\/summary>/.exec(text)?.[1] ?? withoutTags(text);
    return [{ kind: "notice", text: said.trim() }];
  }
  const [, command, words = ""] =
    /^<command-message>[\s\S]*?<command-name>(\S+)<\/command-name>(?:\s*<command-args>([\s\S]*?)<\/command-args>)?/.exec(
      text,
    ) ?? [];
  if (command !== undefined) return [{ kind: "person", text: `${command} ${words}`.trim() }];
  // A person has seen already what a command printed.
  return /^<(?:bash-input|command-name|system-reminder)>/.test(text) ? [] : [{ kind: "person", text }];
}

const withoutTags = (text: string): string =>
  text.replaceAll(/^<[\w-]+(?: [^>]*)?>\n?|\n?<\/[\w-]+>$|\n?<\/teammate-message>(?=\n)/g, "").trim();
