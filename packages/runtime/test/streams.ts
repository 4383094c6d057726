import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import { onTestFinished } from "vitest";
import { anthropicModel } from "../src/model/anthropic.ts";
import type { Patience } from "../src/model/silence.ts";

/** The events of one answer, as the API would send them or not. */
export type Events = readonly unknown[];

/** An event as it goes over the wire; a text is sent as it stands. */
export const lineOf = (event: unknown): string =>
  typeof event === "string"
    ? event
    : `event: ${(event as { type?: unknown } | null)?.type ?? "message"}\ndata: ${JSON.stringify(event)}\n\n`;

export const start = { type: "message_start", message: { id: "msg_1", model: "m", usage: { input_tokens: 1 } } };
export const ping = { type: "ping" };
export const opens = (block: unknown, index = 0) => ({ type: "content_block_start", index, content_block: block });
export const adds = (delta: unknown, index = 0) => ({ type: "content_block_delta", index, delta });
export const closes = (index = 0) => ({ type: "content_block_stop", index });
export const call = (id = "t1", name = "Look") => ({ type: "tool_use", id, name, input: {} });
export const json = (partial_json: unknown, index = 0) => adds({ type: "input_json_delta", partial_json }, index);
export const stop = (stop_reason: unknown = "end_turn") => [
  { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 2 } },
  { type: "message_stop" },
];

/** An API that says what it is told to, right or wrong, through the real SDK. */
export async function serve(answer: (response: ServerResponse, nth: number) => void) {
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => answer(response, asked++));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const client = new Anthropic({ baseURL: `http://127.0.0.1:${port}`, apiKey: "any", logLevel: "off" });
  return {
    asked: () => asked,
    modelWith: (patience: Partial<Patience> = {}) => anthropicModel({ client, now: () => new Date(), patience }),
  };
}

export function begin(response: ServerResponse, events: Events): void {
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  for (const event of events) response.write(lineOf(event));
}

export function send(response: ServerResponse, events: Events): void {
  begin(response, events);
  response.end();
}
