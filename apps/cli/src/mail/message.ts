import { codecFor, type InboxEntry, isUnread } from "@troupe/protocol";
import type { Overview } from "@troupe/store";
import { localTime } from "../local-time.ts";
import { type Printed, paragraphs, type Span } from "../paint.ts";
import { memberSpan } from "../team/overview-text.ts";

/** A message as it is shown: one line, and what does not fit in it. */
export interface ShownMessage {
  /** `text`, or the type of its body. */
  readonly kind: string;
  readonly line: string;
  readonly text: string;
  readonly body: object | null;
}

/** Summarizes a message of any type, or one that cannot be parsed. */
export function shownMessage(
  { text, summary }: Pick<InboxEntry, "text" | "summary">,
  form: Overview["form"],
): ShownMessage {
  const read = codecFor(form ?? "between").readBody(text);
  if (read.kind === "text") {
    if (summary !== undefined) return { kind: "text", line: summary, text, body: null };
    const [first = "", ...rest] = text.split("\n");
    return { kind: "text", line: first, text: rest.join("\n"), body: null };
  }
  if (read.kind === "invalid")
    return { kind: read.type, line: `${read.type}, which cannot be parsed`, text, body: null };
  const type = read.kind === "message" ? read.body.type : read.type;
  const field = (name: string) => wordsOf((read.body as Readonly<Record<string, unknown>>)[name]);
  const sentence = sentences.get(type);
  if (!sentence) return { kind: type, line: type, text, body: read.body };
  const [line, more = ""] = sentence(field);
  return { kind: type, line: line.trimEnd().replace(/:$/, ""), text: more, body: read.body };
}

/** A message as its receiver was told it: behind one of the protocol stands what the model does. */
export function shownTold(told: string): ShownMessage & { readonly besides: string } {
  const [, body = told, besides = ""] = /^(\{.*\})(?:\n([\s\S]*))?$/.exec(told) ?? [];
  return { ...shownMessage({ text: body }, undefined), besides };
}

/** `alice to bob: what it says in a line`. */
export const messageHead = ({ from, color }: InboxEntry, to: string, line: string): Span[] => [
  memberSpan(from, color),
  ` to ${to}: `,
  { text: line, style: "bold" },
];

/** The lines below the first; empty if the first says it all. */
export const messageBody = ({ text }: ShownMessage): Printed[] => (text === "" ? [] : paragraphs(text, "    "));

export const messageDocument = (key: string, entry: InboxEntry, form: Overview["form"]) => {
  const { kind, body } = shownMessage(entry, form);
  return { key, isUnread: isUnread(entry), kind, body, entry };
};

/** Renders the time in front of an event; text that is not a time is shown unchanged. */
export function timeSpans(moment: string | number | Date): Span[] {
  const time = new Date(moment);
  const text = Number.isNaN(time.getTime()) ? String(moment) : localTime(time);
  return [{ text, style: "dim" }, "  "];
}

const wordsOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);

type Sentence = (field: (name: string) => string) => readonly [line: string, more?: string];

const sentences: ReadonlyMap<string, Sentence> = new Map<string, Sentence>([
  ["task_assignment", (field) => [`assigns #${field("taskId")} ${field("subject")}`, field("description")]],
  ["idle_notification", (field) => [`is idle: ${field("summary")}`, field("result")]],
  ["shutdown_request", (field) => [`asks to shut down: ${field("reason")}`]],
  ["shutdown_approved", () => ["shuts down"]],
  ["shutdown_rejected", (field) => [`keeps working: ${field("reason")}`]],
  ["plan_approval_request", (field) => [`asks to approve a plan: ${field("planFilePath")}`, field("planContent")]],
  [
    "plan_approval_response",
    (field) => [field("approved") === "true" ? "approves the plan" : `rejects the plan: ${field("feedback")}`],
  ],
  ["permission_request", (field) => [`asks to use ${field("tool_name")}: ${field("description")}`, field("input")]],
  ["permission_response", (field) => [field("subtype") === "success" ? "allows it" : `refuses: ${field("error")}`]],
]);
