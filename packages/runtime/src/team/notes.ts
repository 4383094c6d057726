import { existsSync, readFileSync } from "node:fs";
import { codecFor, type Form, type MessageBody, parseTranscript } from "@troupe/protocol";
import type { Input } from "../journal/entry.ts";
import type { Arrival, Inputs } from "../loop/ports.ts";
import { textBlocks } from "../queue.ts";

/** A structured message that the agent was told, or is told now. */
export interface Told {
  readonly from: string;
  readonly body: MessageBody;
  /** What stood behind it, if it was told before. */
  readonly note?: string;
}

/**
 * What the model is told behind a structured message: what it came to, or how to answer it. Called once for each, in their order and when the
 * model is about to hear it, so what it does to the agent holds from then on.
 */
export type Note = (told: Told) => string | undefined;

/** Inputs whose structured messages have a note behind them. It stands in the same input: a crash loses both or neither. */
export const withNotes = (inputs: Inputs, form: Form, notes: readonly Note[]): Inputs => ({
  ...inputs,
  take: () => inputs.take().map((arrival) => noted(arrival, form, notes)),
});

function noted(arrival: Arrival, form: Form, notes: readonly Note[]): Arrival {
  const { input } = arrival;
  const told = toldIn(input, form);
  const texts = told ? notes.flatMap((note) => note(told) ?? []) : [];
  return { ...arrival, input: { ...input, content: [...input.content, ...texts.flatMap(textBlocks)] } };
}

/** The structured messages that an agent was ever told, oldest first. Its journal outlives the process and, where messages are pruned, the inbox. */
export function toldBefore(transcript: string, form: Form): readonly Told[] {
  if (!existsSync(transcript)) return [];
  const { lines } = parseTranscript(readFileSync(transcript, "utf8"));
  return lines
    .filter(({ type, kind }) => type === "troupe" && kind === "input")
    .flatMap(({ input }) => toldIn(input as Input, form) ?? []);
}

/** Of what the model saw; a message that has to be verified and was not is nobody's. */
const seen = /^<teammate-message (?![^>]* verified=")[^>]*>\n([\s\S]*)\n<\/teammate-message>$/;

function toldIn({ origin, content }: Input, form: Form): Told | undefined {
  const text = content[0]?.["text"];
  if (origin.kind !== "teammate" || typeof text !== "string") return undefined;
  const read = codecFor(form).readBody(seen.exec(text)?.[1] ?? "");
  if (read.kind !== "message") return undefined;
  const note = content[1]?.["text"];
  return { from: origin.name, body: read.body, ...(typeof note === "string" && { note }) };
}
