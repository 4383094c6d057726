import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createMcpHandler, type McpHttpHandler } from "@modelcontextprotocol/server";
import { messageOf, TroupeError } from "@troupe/protocol";
import { refusalOf } from "./guard.ts";
import { type Place, teamServer } from "./server.ts";
import { followUpdates } from "./updates.ts";

export interface HttpDeps {
  readonly place: Place;
  /** Of the program. */
  readonly version: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** What a client must show with each request. */
  readonly token: string;
  readonly signal: AbortSignal;
  /** Shows the user what went wrong. */
  readonly show: (message: string) => void;
}

export interface HttpServed {
  readonly url: string;
  /** Resolves when the signal has fired and nothing is open any more. */
  readonly ended: Promise<void>;
}

const longestBody = 1 << 20;

/** Serves one client over HTTP, on the loopback interface alone. */
export async function serveTeamHttp({ place, version, port, token, signal, show }: HttpDeps): Promise<HttpServed> {
  // Each request of a client of 2025 stands alone, and has nothing to be told changes on.
  const handler = createMcpHandler(({ era }) => teamServer(place, version, { isTold: era === "modern" }), {
    onerror: ({ message }) => show(message),
    maxRequestBodySize: longestBody,
  });
  const server = createServer((request, response) => {
    const guarded = { port: (server.address() as AddressInfo).port, token };
    const refusal = refusalOf(request.headers, guarded);
    if (refusal?.status === 401) response.setHeader("www-authenticate", "Bearer");
    if (refusal) return answer(response, refusal.status, refusal.message);
    if (request.url?.split("?")[0] !== "/mcp") return answer(response, 404, "the server is at /mcp");
    pass(handler, request, response).catch((error: unknown) => {
      show(messageOf(error));
      if (response.headersSent) response.destroy();
      else answer(response, 400, "the request could not be read");
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening").catch((error: unknown) => {
    throw new TroupeError("arguments_invalid", `port ${port} cannot be had (${messageOf(error)}): choose another`, {
      port,
    });
  });
  const tell = (uri: string) => handler.notify.resourceUpdated(uri);
  const updates = followUpdates({ room: place.room, signal, tell, show });
  const ended = (async () => {
    if (!signal.aborted) await once(signal, "abort");
    await handler.close();
    server.closeAllConnections();
    server.close();
    await updates;
  })();
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, ended };
}

async function pass(handler: McpHttpHandler, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const { method = "GET" } = request;
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const hasBody = method !== "GET" && method !== "HEAD" && method !== "DELETE";
  const answered = await handler.fetch(
    new Request(`http://127.0.0.1${request.url}`, {
      method,
      headers,
      signal: gone.signal,
      ...(hasBody && { body: Readable.toWeb(request) as never, duplex: "half" }),
    }),
  );
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  if (!answered.body) return void response.end();
  const body = Readable.fromWeb(answered.body as never);
  body.on("error", () => response.destroy());
  body.pipe(response);
}

function answer(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${message}\n`);
}
