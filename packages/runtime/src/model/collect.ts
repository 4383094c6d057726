import type { Block, ModelEvent } from "./model.ts";
import { readUsage } from "./wire-usage.ts";

/** An event of the stream; its fields are read where its type is known, and other types are passed over. */
export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface Growing {
  block: Block;
  /** The JSON of a tool call's input, as far as it has come. */
  json: string;
}

/** Puts an answer together; a stream that breaks off is a failure, and nothing of it is kept. */
export async function* collectAnswer(
  stream: AsyncIterable<StreamEvent>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  let message: Record<string, unknown> | undefined;
  let isWhole = false;
  const growing = new Map<unknown, Growing>();
  for await (const event of stream) {
    if (event.type === "message_start") {
      message = { ...(event["message"] as object) };
      yield { kind: "begun" };
    } else if (event.type === "content_block_start") {
      growing.set(event["index"], { block: event["content_block"] as Block, json: "" });
    } else if (event.type === "content_block_delta") {
      const part = growing.get(event["index"]);
      const piece = part && grow(part, event["delta"] as Block);
      if (piece) yield piece;
    } else if (event.type === "message_delta") {
      message = { ...message, ...(event["delta"] as object), usage: { ...usageOf(message), ...usageOf(event) } };
    } else if (event.type === "message_stop") isWhole = true;
  }
  if (signal.aborted) yield { kind: "failed", failure: { kind: "aborted", message: "the call was cancelled" } };
  else if (!message || !isWhole)
    yield { kind: "failed", failure: { kind: "network", message: "the answer broke off before its end" } };
  else yield { kind: "answered", answer: answerOf(message, [...growing.values()]) };
}

/** The last counts are the valid ones; a field that is null was not counted. */
const usageOf = (holder: { readonly [field: string]: unknown } | undefined): object =>
  Object.fromEntries(Object.entries(holder?.["usage"] ?? {}).filter(([, count]) => count !== null));

function answerOf(message: Record<string, unknown>, parts: readonly Growing[]) {
  return {
    id: String(message["id"]),
    model: String(message["model"]),
    content: parts.map(({ block, json }) => (json === "" ? block : { ...block, input: inputOf(json) })),
    stopReason: String(message["stop_reason"] ?? "end_turn"),
    usage: readUsage(message["usage"]),
  };
}

/** An input that was cut is no input; its call is answered and not run, since the answer says that it was cut. */
function inputOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

function grow(part: Growing, delta: Block): ModelEvent | undefined {
  const { block } = part;
  switch (delta.type) {
    case "text_delta":
      part.block = { ...block, text: `${block["text"]}${delta["text"]}` };
      return { kind: "piece", of: "text", text: String(delta["text"]) };
    case "thinking_delta":
      part.block = { ...block, thinking: `${block["thinking"]}${delta["thinking"]}` };
      return { kind: "piece", of: "thinking", text: String(delta["thinking"]) };
    case "signature_delta":
      part.block = { ...block, signature: delta["signature"] };
      return undefined;
    case "citations_delta":
      part.block = { ...block, citations: [...((block["citations"] as unknown[] | null) ?? []), delta["citation"]] };
      return undefined;
    case "input_json_delta":
      part.json += String(delta["partial_json"]);
      return { kind: "piece", of: "tool_use", text: String(delta["partial_json"]) };
    default:
      return undefined;
  }
}
