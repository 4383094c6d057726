import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import {
  type ContentBlock,
  type LoggedRequest,
  type MessagesRequest,
  type Reply,
  type Rule,
  text,
  type toolUse,
} from "@troupe/fake-anthropic";

/** What is kept of a request for those who look into a failure. */
export type AskedRequest = Pick<LoggedRequest, "at" | "path" | "json" | "status" | "isClosedEarly">;

/** A chat-completions endpoint on this machine; its model is played by the same rule as others. */
export interface FakeChat {
  readonly url: string;
  /** What it was asked, in order of arrival. */
  readonly requests: readonly AskedRequest[];
  close(): Promise<void>;
}

type TextBlock = ReturnType<typeof text>;
type ToolUseBlock = ReturnType<typeof toolUse>;

interface ChatCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

type ChatContent = string | null | undefined | readonly { readonly type: string; readonly text?: string }[];

interface ChatMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool";
  readonly content?: ChatContent;
  readonly tool_calls?: readonly ChatCall[];
  readonly tool_call_id?: string;
}

/** What a client asks of such an endpoint, as far as it is looked at. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly function: ChatTool }[];
}

interface ChatTool {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: unknown;
}

const textsOf = (content: ChatContent): readonly ContentBlock[] =>
  (typeof content === "string" ? [{ type: "text", text: content }] : (content ?? [])).map((part) => ({ ...part }));

const isOfSystem = ({ role }: ChatMessage): boolean => role === "system" || role === "developer";

function blocksOf({ role, content, tool_calls = [], tool_call_id }: ChatMessage): readonly ContentBlock[] {
  const texts = textsOf(content);
  if (role === "tool") return [{ type: "tool_result", tool_use_id: tool_call_id, content: texts }];
  const calls = tool_calls.map(({ id, function: { name, arguments: input } }) => ({
    type: "tool_use",
    id,
    name,
    input: JSON.parse(input || "{}"),
  }));
  return [...texts, ...calls];
}

/** The same request in the words of the Messages API, for which scripts are written. */
export const asMessages = ({ model, messages, tools = [] }: ChatRequest): MessagesRequest => ({
  model,
  system: messages.filter(isOfSystem).flatMap((message) => blocksOf(message)),
  messages: messages
    .filter((message) => !isOfSystem(message))
    .map((message) => ({ role: message.role === "assistant" ? "assistant" : "user", content: blocksOf(message) })),
  tools: tools.map(({ function: { parameters, ...tool } }) => ({ ...tool, input_schema: parameters })),
});

/** What a reply says in texts and calls; the endpoint has no other answers. */
function answerOf(reply: Reply): readonly (TextBlock | ToolUseBlock)[] {
  const blocks = typeof reply === "string" ? [text(reply)] : [reply].flat();
  return blocks.map((block) => {
    if ("type" in block && (block.type === "text" || block.type === "tool_use"))
      return block as TextBlock | ToolUseBlock;
    throw new Error(`the chat endpoint answers with texts and calls alone, not with ${JSON.stringify(block)}`);
  });
}

/** An answer as the delta of one chunk. */
export function asDelta(reply: Reply, newId: () => string): object {
  const blocks = answerOf(reply);
  const said = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const calls = blocks.flatMap((block) => (block.type === "tool_use" ? [block] : []));
  const tool_calls = calls.map(({ id = newId(), name, input }, index) => ({
    index,
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  return { role: "assistant", content: said || null, ...(calls.length > 0 && { tool_calls }) };
}

async function bodyOf(request: IncomingMessage): Promise<ChatRequest> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString());
}

export interface FakeChatDeps {
  readonly rule: Rule;
  /** A client mixes up its turns where a model answers at once, as no model does. */
  readonly thinkingMs: number;
}

/** Starts the endpoint on a free port of the loopback address. */
export async function startFakeChat({ rule, thinkingMs }: FakeChatDeps): Promise<FakeChat> {
  let count = 0;
  const newId = () => `call_${++count}`;
  const requests: { -readonly [key in keyof AskedRequest]: AskedRequest[key] }[] = [];
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST" || !request.url?.endsWith("/chat/completions")) {
      response.writeHead(404, { "content-type": "application/json" }).end('{"error":{"message":"no such endpoint"}}');
      return;
    }
    const json = await bodyOf(request);
    const line: (typeof requests)[number] = { at: Date.now(), path: request.url, json, isClosedEarly: false };
    requests.push(line);
    response.on("close", () => {
      line.status = response.statusCode;
      line.isClosedEarly = !response.writableFinished;
    });
    const asked = asMessages(json);
    const delta = asDelta((await rule(asked, { index: count, headers: request.headers })) ?? "OK.", newId);
    const head = { id: newId(), object: "chat.completion.chunk", created: 0, model: asked.model };
    const finish_reason = "tool_calls" in delta ? "tool_calls" : "stop";
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const chunks = [
      { ...head, choices: [{ index: 0, delta, finish_reason: null }] },
      { ...head, choices: [{ index: 0, delta: {}, finish_reason }], usage },
    ];
    const lines = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`);
    await delay(thinkingMs);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const line of lines) {
      response.write(line);
      await delay(thinkingMs / 10);
    }
    response.end();
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(400).end(String(error)));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
