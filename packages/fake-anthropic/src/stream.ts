import type { Message } from "./message.ts";
import type { ContentBlock } from "./request.ts";
import type { ScriptedAnswer } from "./script.ts";

/** One server-sent event; its `type` is its name. */
export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** So many deltas a block at the most, and characters a delta at the least. */
const maxDeltas = 8;
const minCharacters = 12;

/** A text in pieces that never part a character. */
function pieces(text: string): readonly string[] {
  const characters = [...text];
  const length = Math.max(minCharacters, Math.ceil(characters.length / maxDeltas));
  const count = Math.ceil(characters.length / length);
  return Array.from({ length: count }, (_, n) => characters.slice(n * length, (n + 1) * length).join(""));
}

/** A block as it starts, and the deltas that complete it. */
function blockParts(block: ContentBlock, written?: string): readonly [start: object, deltas: readonly StreamEvent[]] {
  if (block.type === "text") {
    const deltas = pieces(String(block["text"])).map((text) => ({ type: "text_delta", text }));
    return [{ ...block, text: "" }, deltas];
  }
  if (block.type === "thinking") {
    const deltas = pieces(String(block["thinking"])).map((thinking) => ({ type: "thinking_delta", thinking }));
    const signature = { type: "signature_delta", signature: block["signature"] };
    return [{ ...block, thinking: "", signature: "" }, [...deltas, signature]];
  }
  if (block.type !== "tool_use") return [block, []];
  const json = ["", ...pieces(written ?? JSON.stringify(block["input"]))];
  return [{ ...block, input: {} }, json.map((partial_json) => ({ type: "input_json_delta", partial_json }))];
}

/** A message as the events of its stream, in the documented order. */
export function eventsOf(message: Message, answer: ScriptedAnswer): readonly StreamEvent[] {
  const { usage, stop_reason, stop_sequence, stop_details, container } = message;
  const started = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const blocks = message.content.flatMap((block, index) => {
    const source = answer.content[index];
    const [content_block, deltas] = blockParts(block, source?.type === "tool_use" ? source.json : undefined);
    return [
      { type: "content_block_start", index, content_block },
      ...(index === 0 ? [{ type: "ping" }] : []),
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ];
  });
  return [
    { type: "message_start", message: started },
    ...blocks,
    { type: "message_delta", delta: { stop_reason, stop_sequence, stop_details, container }, usage },
    { type: "message_stop" },
  ];
}

export const eventText = (event: StreamEvent): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
