import { z } from "zod";
import type { Block, ModelEvent } from "./model.ts";
import { readUsage } from "./wire-usage.ts";

/** One block of the answer, as far as it has come. */
interface Growing {
  block: Block;
  /** The JSON of a tool call's input. */
  json: string;
  isEnded: boolean;
}

/** An answer, as far as it has come. */
interface Draft {
  message: Readonly<Record<string, unknown>> | undefined;
  readonly parts: Map<number, Growing>;
}

/**
 * Puts an answer together. A stream that breaks off, or that is none of the Messages API, is a
 * failure, and nothing of it is kept; types of events, blocks and deltas that are not known are
 * passed over or kept as they came.
 */
export async function* collectAnswer(stream: AsyncIterable<unknown>): AsyncGenerator<ModelEvent> {
  const draft: Draft = { message: undefined, parts: new Map() };
  let end: ModelEvent | undefined;
  for await (const raw of stream) {
    if (end) continue;
    const told = read(draft, raw);
    if (told?.kind === "answered") end = told;
    else if (told) yield told;
    if (told?.kind === "failed") return;
  }
  yield end ?? { kind: "failed", failure: { kind: "network", message: "the answer broke off before its end" } };
}

const malformed = (what: string): ModelEvent => ({
  kind: "failed",
  failure: { kind: "server", message: `the model's stream does not follow the Messages API: ${what}` },
});

function read(draft: Draft, raw: unknown): ModelEvent | undefined {
  const { data: typed } = Typed.safeParse(raw);
  if (!typed) return malformed("an event without a type");
  if (!eventTypes.has(typed.type)) return undefined;
  const { data: event, error } = StreamEvent.safeParse(raw);
  return event ? absorb(draft, event) : malformed(`${typed.type}: ${z.prettifyError(error)}`);
}

/** Adds an event to the answer, and returns its news for a viewer. */
function absorb(draft: Draft, event: StreamEvent): ModelEvent | undefined {
  if (event.type === "message_start") {
    if (draft.message) return malformed("a second message_start");
    draft.message = event.message;
    return { kind: "begun" };
  }
  const { message, parts } = draft;
  if (!message) return malformed(`${event.type} before message_start`);
  if (event.type === "message_stop") return answerOf(message, [...parts.values()]);
  if (event.type === "message_delta") {
    draft.message = { ...message, ...event.delta, usage: { ...usageOf(message), ...usageOf(event) } };
    return undefined;
  }
  const { index } = event;
  if (event.type === "content_block_start") {
    if (parts.has(index)) return malformed(`a second content_block_start with the index ${index}`);
    const { content_block: block } = event;
    const fault = blocks.get(block.type)?.safeParse(block).error;
    if (fault) return malformed(`content_block_start: ${z.prettifyError(fault)}`);
    parts.set(index, { block, json: "", isEnded: false });
    return undefined;
  }
  const part = parts.get(index);
  if (!part || part.isEnded) return malformed(`${event.type} for the index ${index}, where no block is open`);
  if (event.type === "content_block_delta") return grow(part, event.delta);
  part.isEnded = true;
  return undefined;
}

/** The last counts are the valid ones; a field that is null was not counted. */
const usageOf = (holder: { readonly [field: string]: unknown }): object =>
  Object.fromEntries(Object.entries(holder["usage"] ?? {}).filter(([, count]) => count !== null));

function answerOf(message: Readonly<Record<string, unknown>>, parts: readonly Growing[]): ModelEvent {
  const { id, model, stop_reason: stopReason, usage } = message;
  if (typeof stopReason !== "string") return malformed("message_stop without a stop_reason before it");
  const calls = parts.flatMap(({ block }) => (block.type === "tool_use" ? [block["id"]] : []));
  if (new Set(calls).size < calls.length) return malformed("two calls have one id");
  const read = parts.map((part) => ({ part, input: inputOf(part) }));
  const cut = read.flatMap(({ part: { block }, input }) =>
    block.type === "tool_use" && !input ? [String(block["id"])] : [],
  );
  const content = read.map(({ part: { block, json }, input }) =>
    block.type === "tool_use" || json !== "" ? { ...block, input: input ?? {} } : block,
  );
  if (isDeeper(content, maxDepth)) return malformed(`a block is nested more than ${maxDepth} levels deep`);
  const written = read.flatMap(({ part: { block, json }, input }) =>
    input && json !== "" && JSON.stringify(input) !== json ? [{ id: String(block["id"]), json }] : [],
  );
  const answer = { id: String(id ?? ""), model: String(model ?? ""), content, stopReason, usage: readUsage(usage) };
  return {
    kind: "answered",
    answer: { ...answer, ...(cut.length > 0 && { cut }), ...(written.length > 0 && { written }) },
  };
}

/** A deeper value cannot be relied on to be written down: `JSON.stringify` recurses. */
const maxDepth = 1_000;

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1)));

/**
 * The API takes nothing but an object back as an input, so one that is none, or is no whole JSON,
 * becomes an empty one; its call is named as cut, since it would run as if nothing had been said. A
 * call without a word of input is whole once its block has ended.
 */
function inputOf({ block, json, isEnded }: Growing): object | undefined {
  try {
    const input: unknown = json === "" ? (block["input"] ?? {}) : JSON.parse(json);
    const isEmpty = json === "" && !isEnded;
    return isEmpty || input === null || typeof input !== "object" || Array.isArray(input) ? undefined : input;
  } catch {
    return undefined;
  }
}

function grow(part: Growing, given: z.infer<typeof Typed>): ModelEvent | undefined {
  if (!deltaTypes.has(given.type)) return undefined;
  const { data: delta, error } = Delta.safeParse(given);
  if (!delta) return malformed(`${given.type}: ${z.prettifyError(error)}`);
  const { block } = part;
  switch (delta.type) {
    case "text_delta":
      return say(part, "text", delta.text);
    case "thinking_delta":
      return say(part, "thinking", delta.thinking);
    case "signature_delta":
      part.block = { ...block, signature: delta.signature };
      return undefined;
    case "citations_delta": {
      const before = Array.isArray(block["citations"]) ? block["citations"] : [];
      part.block = { ...block, citations: [...before, delta.citation] };
      return undefined;
    }
    case "input_json_delta":
      part.json += delta.partial_json;
      return { kind: "piece", of: "tool_use", text: delta.partial_json };
  }
}

function say(part: Growing, of: "text" | "thinking", text: string): ModelEvent {
  const { block } = part;
  if (typeof block[of] !== "string") return malformed(`a delta of ${of} for a block of the type ${block.type}`);
  part.block = { ...block, [of]: `${block[of]}${text}` };
  return { kind: "piece", of, text };
}

const Typed = z.looseObject({ type: z.string() });
const index = z.int().nonnegative();
const usage = z.looseObject({}).nullish();

const StreamEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message_start"), message: z.looseObject({ usage }) }),
  // The block as it came and no parsed copy, whose keys would be in another order.
  z.object({
    type: z.literal("content_block_start"),
    index,
    content_block: z.custom<Block>((one) => Typed.safeParse(one).success),
  }),
  z.object({ type: z.literal("content_block_delta"), index, delta: Typed }),
  z.object({ type: z.literal("content_block_stop"), index }),
  z.object({ type: z.literal("message_delta"), delta: z.looseObject({}), usage }),
  z.object({ type: z.literal("message_stop") }),
]);
type StreamEvent = z.infer<typeof StreamEvent>;

const Delta = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text_delta"), text: z.string() }),
  z.object({ type: z.literal("thinking_delta"), thinking: z.string() }),
  z.object({ type: z.literal("signature_delta"), signature: z.string() }),
  z.object({ type: z.literal("citations_delta"), citation: z.unknown() }),
  z.object({ type: z.literal("input_json_delta"), partial_json: z.string() }),
]);

const typesOf = (union: typeof StreamEvent | typeof Delta): ReadonlySet<string> =>
  new Set(union.options.map((option) => option.shape.type.value));
const eventTypes = typesOf(StreamEvent);
const deltaTypes = typesOf(Delta);

/** Fields without which the API does not take a block back. */
const blocks = new Map<string, z.ZodType>([
  ["text", z.looseObject({ text: z.string() })],
  ["thinking", z.looseObject({ thinking: z.string() })],
  ["tool_use", z.looseObject({ id: z.string().min(1), name: z.string().min(1) })],
]);
