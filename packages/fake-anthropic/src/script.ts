import type { IncomingHttpHeaders } from "node:http";
import { invalid, isRefusal, type Refusal } from "./refusal.ts";
import type { ContentBlock, MessagesRequest } from "./request.ts";

export interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

/** The server signs it, unless a signature is given. */
export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  readonly signature?: string;
}

export interface ToolUseBlock {
  readonly type: "tool_use";
  readonly name: string;
  readonly input: unknown;
  /** The server counts, unless an id is given. */
  readonly id?: string;
  /** The text of the input in a stream, where that is not as usual or was cut. */
  readonly json?: string;
}

/** A block that the stream brings whole. */
export interface OtherBlock {
  readonly type: "redacted_thinking" | "server_tool_use" | "web_search_tool_result" | "compaction";
  readonly [field: string]: unknown;
}

export type ReplyBlock = TextBlock | ThinkingBlock | ToolUseBlock | OtherBlock;

/** A fault inside an answer, after this many events of its stream. */
export type Trouble =
  | { readonly kind: "cut" | "truncated" | "malformed" | "stalled"; readonly after: number }
  | { readonly kind: "error"; readonly after: number; readonly type: string; readonly message: string };

export interface ScriptedAnswer {
  readonly content: readonly ReplyBlock[];
  /** `tool_use` if a tool is called, else `end_turn`. */
  readonly stopReason?: string;
  readonly stopSequence?: string;
  readonly stopDetails?: unknown;
  /** By default the tokenizer's count of the content. */
  readonly outputTokens?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds between two events. */
  readonly paceMs?: number;
  readonly trouble?: Trouble;
}

/** The connection is closed before anything is said. */
export interface Dropped {
  readonly kind: "dropped";
}

export type Outcome = ScriptedAnswer | Refusal | Dropped;
export type Reply = string | ReplyBlock | readonly ReplyBlock[] | Outcome;

export interface RuleContext {
  /** The place of the request in the log. */
  readonly index: number;
  readonly headers: IncomingHttpHeaders;
}

export type Rule = (request: MessagesRequest, context: RuleContext) => Reply | undefined | Promise<Reply | undefined>;

export const text = (text: string): TextBlock => ({ type: "text", text });
export const thinking = (thinking: string): ThinkingBlock => ({ type: "thinking", thinking });
export const toolUse = (name: string, input: unknown, id?: string): ToolUseBlock => ({
  type: "tool_use",
  name,
  input,
  ...(id !== undefined && { id }),
});

/** A call whose input was cut by `max_tokens`; give the answer that `stopReason`. */
export const cutToolUse = (name: string, partialJson: string, id?: string): ToolUseBlock => ({
  ...toolUse(name, {}, id),
  json: partialJson,
});

/** A call whose input the model writes in this way. */
export const writtenToolUse = (name: string, json: string, id?: string): ToolUseBlock => ({
  ...toolUse(name, JSON.parse(json), id),
  json,
});

const isList = (reply: Reply): reply is readonly ReplyBlock[] => Array.isArray(reply);

export function outcomeOf(reply: Reply): Outcome {
  if (typeof reply === "string") return { content: [text(reply)] };
  if (isList(reply)) return { content: reply };
  return "type" in reply && !isRefusal(reply) ? { content: [reply] } : reply;
}

/** The default answer: the last text that the user sent. */
function echo({ messages }: MessagesRequest): Outcome {
  const said = messages.flatMap(({ role, content }) => (role === "user" ? content : []));
  const last = said.filter((block: ContentBlock) => block.type === "text").at(-1);
  return { content: [text(typeof last?.["text"] === "string" ? last["text"] : "OK")] };
}

export interface ScriptDeps {
  readonly replies?: readonly Reply[];
  readonly rule?: Rule;
}

/** Replies in the order in which requests ask for them, then the rule. */
export function createScript({ replies, rule }: ScriptDeps) {
  const queue = [...(replies ?? [])];
  return {
    push: (...more: readonly Reply[]) => void queue.push(...more),
    async next(request: MessagesRequest, context: RuleContext): Promise<Outcome> {
      const reply = queue.shift() ?? (await rule?.(request, context));
      if (reply !== undefined) return outcomeOf(reply);
      if (replies === undefined || rule !== undefined) return echo(request);
      return invalid("fake-anthropic has no reply left: push one, or give a rule");
    },
  };
}
