import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";

/** A server on this machine until the test is over. */
export async function listening(listener: RequestListener, port = 0) {
  const server = createServer(listener).listen(port, "127.0.0.1");
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  onTestFinished(() => (server.listening ? stop() : undefined));
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, stop };
}

/** What was sent with a request. */
export const bodyOf = async (request: IncomingMessage): Promise<string> =>
  request.method === "POST" ? (await request.toArray()).join("") : "";

export const headersOf = (request: IncomingMessage): Headers =>
  new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));

/** The SDK's server behind node's own http. */
export function answering(factory: () => McpServer) {
  const handler = createMcpHandler(factory);
  return async (request: IncomingMessage, body: string, response: ServerResponse): Promise<void> => {
    const { method = "GET" } = request;
    const asked = { method, headers: headersOf(request), body: method === "POST" ? body : null };
    const answer = await handler.fetch(new Request(`http://127.0.0.1${request.url}`, asked));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body)
      Readable.fromWeb(answer.body as never)
        .on("error", () => {})
        .pipe(response);
    else response.end();
  };
}
