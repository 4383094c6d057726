import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isRecord } from "../record.ts";
import type { ModelRequest } from "./conversation.ts";

/** A call of a tool: its name and its input. */
export type Call = readonly [name: string, input: object];

/** What the model says: words, or calls of tools with the ids they have. */
export type Saying = string | readonly { readonly id: string; readonly call: Call }[];

export interface ModelEndpoint {
  /** The base URL for a client. */
  readonly url: string;
  close(): Promise<void>;
}

/** Resolves with what the model says; the connection stays open until then. */
export type Answer = (request: ModelRequest) => Promise<Saying>;

/**
 * A Messages API on loopback that knows no rules of its own: a target is judged by what it does
 * with the answers, and by nothing that a real endpoint would refuse.
 */
export async function openModelEndpoint(answer: Answer): Promise<ModelEndpoint> {
  let count = 0;
  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const path = (incoming.url ?? "").split("?")[0] ?? "";
    const body = Buffer.concat(chunks).toString();
    if (incoming.method === "HEAD") return void response.end();
    if (path.endsWith("/models")) return sendJson(response, { data: [], has_more: false });
    if (path.endsWith("/count_tokens")) return sendJson(response, { input_tokens: tokensOf(body) });
    if (!path.endsWith("/v1/messages")) return sendJson(response, notFound, 404);
    const asked: unknown = JSON.parse(body);
    if (!isRecord(asked)) return sendJson(response, notFound, 400);
    count += 1;
    const request = { tools: [], ...asked, body } as unknown as ModelRequest;
    const said = await answer(request);
    const message = messageOf(said, `msg_${count}`, asked["model"], tokensOf(body));
    if (asked["stream"] !== true) return sendJson(response, message);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(eventsOf(message));
  }
  const server = createServer((incoming, response) => void handle(incoming, response).catch(() => response.destroy()));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const notFound = { type: "error", error: { type: "not_found_error", message: "the suite plays a Messages API alone" } };

function sendJson(response: ServerResponse, document: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(document));
}

const tokensOf = (text: string): number => Math.ceil(text.length / 4);

function messageOf(said: Saying, id: string, model: unknown, tokens: number) {
  const content =
    typeof said === "string"
      ? [{ type: "text", text: said }]
      : said.map(({ id, call: [name, input] }) => ({ type: "tool_use", id, name, input }));
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: typeof said === "string" ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: { input_tokens: tokens, output_tokens: tokensOf(JSON.stringify(content)) },
  };
}

/** The events of a message, each block whole in one delta. */
function eventsOf({ content, stop_reason, stop_sequence, usage, ...rest }: ReturnType<typeof messageOf>): string {
  const opened = content.map((block) => ("text" in block ? { ...block, text: "" } : { ...block, input: {} }));
  const deltas = content.map((block) =>
    "text" in block
      ? { type: "text_delta", text: block.text }
      : { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
  );
  const events = [
    { type: "message_start", message: { ...rest, content: [], stop_reason: null, stop_sequence, usage } },
    ...content.flatMap((_, index) => [
      { type: "content_block_start", index, content_block: opened[index] },
      { type: "content_block_delta", index, delta: deltas[index] },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason, stop_sequence }, usage },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
