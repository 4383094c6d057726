import { type Bill, type Usage, usageOf } from "./billing.ts";
import { countedText, type Tokenize } from "./positions.ts";
import type { ContentBlock } from "./request.ts";
import type { ReplyBlock, ScriptedAnswer } from "./script.ts";
import { signed, type Thread } from "./thinking.ts";

/** A finished answer, as the API writes it. */
export interface Message {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly model: string;
  readonly content: readonly ContentBlock[];
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
  readonly stop_details: unknown;
  readonly container: null;
  readonly usage: Usage;
}

export interface MessageDeps {
  readonly id: string;
  readonly model: string;
  readonly bill: Bill;
  readonly thread: Thread;
  readonly tokenize: Tokenize;
  readonly nextToolUseId: () => string;
}

function wireBlock(block: ReplyBlock, nextToolUseId: () => string): ContentBlock {
  if (block.type !== "tool_use") return { ...block };
  const { id = nextToolUseId(), name, input } = block;
  return { type: "tool_use", id, name, input: JSON.parse(JSON.stringify(input ?? {})), caller: { type: "direct" } };
}

export function messageOf(answer: ScriptedAnswer, deps: MessageDeps): Message {
  const { id, model, bill, thread, tokenize, nextToolUseId } = deps;
  const content = signed(
    answer.content.map((block) => wireBlock(block, nextToolUseId)),
    thread.end,
    model,
  );
  const counted = content.reduce((sum, block) => sum + tokenize(countedText(block)), 0);
  const asks = content.some(({ type }) => type === "tool_use");
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: answer.stopReason ?? (asks ? "tool_use" : "end_turn"),
    stop_sequence: answer.stopSequence ?? null,
    stop_details: answer.stopDetails ?? null,
    container: null,
    usage: usageOf(bill, answer.outputTokens ?? counted),
  };
}
