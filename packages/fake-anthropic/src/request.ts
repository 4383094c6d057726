import { invalid, isRefusal, type Refusal } from "./refusal.ts";

export interface CacheControl {
  readonly type: "ephemeral";
  readonly ttl?: "5m" | "1h";
}

/** A content block of a request or of an answer: its type, and what that type brings. */
export interface ContentBlock {
  readonly type: string;
  readonly cache_control?: CacheControl | null;
  readonly [field: string]: unknown;
}

export interface RequestMessage {
  readonly role: "user" | "assistant" | "system";
  readonly content: readonly ContentBlock[];
  /** Of a system message in the middle: what holds from here on. */
  readonly output_config?: object;
}

export interface RequestTool {
  readonly name: string;
  readonly type?: string;
  readonly defer_loading?: boolean;
  readonly cache_control?: CacheControl | null;
  readonly [field: string]: unknown;
}

/** A request as it was read: a string as content is one text block, and `system` is a list. */
export interface MessagesRequest {
  readonly model: string;
  readonly messages: readonly RequestMessage[];
  readonly system: readonly ContentBlock[];
  readonly tools: readonly RequestTool[];
  readonly max_tokens?: number;
  readonly stream?: boolean;
  readonly cache_control?: CacheControl | null;
  readonly tool_choice?: {
    readonly type: string;
    readonly name?: string;
    readonly disable_parallel_tool_use?: boolean;
  };
  readonly thinking?: { readonly type: string; readonly [field: string]: unknown };
  readonly output_config?: { readonly effort?: string | null; readonly format?: unknown };
  readonly speed?: string;
  readonly temperature?: unknown;
  readonly top_p?: unknown;
  readonly top_k?: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isBlock = (value: unknown): value is ContentBlock => isObject(value) && typeof value["type"] === "string";

function blocksOf(content: unknown, where: string): readonly ContentBlock[] | Refusal {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return invalid(`${where}: Input should be a string or a list of content blocks`);
  const wrong = content.findIndex((block) => !isBlock(block));
  return wrong === -1 ? content : invalid(`${where}.${wrong}: Input should be an object with a type`);
}

const roles: readonly unknown[] = ["user", "assistant", "system"];

/** Reads the shape of a request; what a value may be is for the rules. */
export function readRequest(json: unknown): MessagesRequest | Refusal {
  if (!isObject(json)) return invalid("The request body is not a valid JSON object");
  const { model, messages, system = [], tools = [] } = json;
  if (typeof model !== "string") return invalid("model: Field required");
  if (!Array.isArray(messages)) return invalid("messages: Field required");
  const read: RequestMessage[] = [];
  for (const [n, message] of messages.entries()) {
    if (!isObject(message) || !roles.includes(message["role"])) {
      return invalid(`messages.${n}.role: Input should be 'user', 'assistant' or 'system'`);
    }
    const content = blocksOf(message["content"], `messages.${n}.content`);
    if (isRefusal(content)) return content;
    const { role, output_config } = message as unknown as RequestMessage;
    read.push({ role, content, ...(isObject(output_config) && { output_config }) });
  }
  const head = blocksOf(system, "system");
  if (isRefusal(head)) return head;
  if (!Array.isArray(tools)) return invalid("tools: Input should be a list");
  const nameless = tools.findIndex((tool) => !isObject(tool) || typeof tool["name"] !== "string");
  if (nameless !== -1) return invalid(`tools.${nameless}.name: Field required`);
  return { ...json, model, messages: read, system: head, tools };
}
