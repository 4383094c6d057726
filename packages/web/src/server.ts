import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isTroupeError, messageOf } from "@troupe/protocol";
import { actIn } from "./acts.ts";
import type { Assets } from "./assets.ts";
import { bodyOf } from "./body.ts";
import { type Gate, givenCookie, guardHeaders, lockedOut, mayEnter, strangerIn, unreadable } from "./guard.ts";
import { openHub } from "./hub.ts";
import { lookFor, wordsOf } from "./routes.ts";
import type { Source } from "./source.ts";
import { tellPage } from "./stream.ts";

/** What no client may go beyond. */
export interface Limits {
  readonly bodyBytes: number;
  /** How long a client may take for the head of a request, and for all of it. */
  readonly headMs: number;
  readonly requestMs: number;
  /** How long a connection may rest on which nothing is asked. */
  readonly idleMs: number;
  readonly connections: number;
  readonly streams: number;
  readonly heartbeatMs: number;
}

export const usualLimits: Limits = {
  bodyBytes: 64 * 1024,
  headMs: 5_000,
  requestMs: 10_000,
  idleMs: 5_000,
  connections: 128,
  streams: 32,
  heartbeatMs: 15_000,
};

export interface WebDeps {
  readonly source: Source;
  readonly assets: Assets;
  /** 0 for any that is free. */
  readonly port: number;
  /** What the address that a person is given ends with, and the cookie that it is exchanged for. */
  readonly token: string;
  readonly pass: string;
  readonly limits?: Partial<Limits>;
  readonly signal: AbortSignal;
  /** Tells the person who started it what went wrong. */
  readonly show: (message: string) => void;
}

export interface WebServed {
  /** Ends with the token, behind a mark that browsers keep to themselves. */
  readonly url: string;
  /** Resolves when the signal has fired and nothing is open any more. */
  readonly ended: Promise<void>;
}

/** Serves the page to browsers of this machine alone. */
export async function serveWeb(deps: WebDeps): Promise<WebServed> {
  const { source, assets, token, pass, signal, show } = deps;
  const limits: Limits = { ...usualLimits, ...deps.limits };
  const hub = openHub(source, signal);
  let streams = 0;
  let gate: Gate = { port: deps.port, token, pass };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const stranger = strangerIn(request, gate);
    if (stranger) return say(response, stranger.status, stranger.message);
    const { method, url = "" } = request;
    if (!url.startsWith("/") || url.startsWith("//")) return say(response, 400, "the path must begin with one /");
    const { pathname, searchParams } = new URL(url, "http://127.0.0.1");
    const asset = method === "GET" ? assets.get(pathname) : undefined;
    if (asset) return give(response, 200, asset.type, asset.body);
    if (method === "POST" && pathname === "/session") return enter(request, response);
    const locked = lockedOut(request, gate);
    if (locked) return say(response, locked.status, locked.message);
    const words = wordsOf(pathname);
    if (!words) return say(response, 400, "the path cannot be read");
    if (method === "POST") return act(request, response, words);
    if (pathname === "/api/events") return follow(request, response, searchParams);
    const look = lookFor(words, searchParams);
    const found = await look?.(source);
    return found ? show200(request, response, found) : say(response, 404, "there is nothing here");
  }

  async function enter(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const json = await read(request, response);
    if (json === undefined) return;
    if (!mayEnter(gate, (json as { readonly token?: unknown } | null)?.token))
      return say(response, 401, "this is not the token that troupe web has printed");
    response.writeHead(204, { "set-cookie": givenCookie(gate) }).end();
  }

  async function act(request: IncomingMessage, response: ServerResponse, words: readonly string[]): Promise<void> {
    const [api, kind, team = "", what = "", ...more] = words;
    if (api !== "api" || kind !== "team" || more.length > 0) return say(response, 404, "there is nothing here");
    if (!source.act) return say(response, 403, "this page only looks: troupe web --write may change something");
    const json = await read(request, response);
    if (json === undefined) return;
    const wanted = actIn(what, json);
    if (!wanted) return say(response, 400, `the body does not say what to ${what || "do"}`);
    const acted = await source.act(team, wanted);
    return acted ? show200(request, response, acted) : say(response, 404, "there is no such team");
  }

  /** The JSON of a body; undefined where the client was told why there is none. */
  async function read(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const refusal = unreadable(request);
    if (refusal) return void say(response, refusal.status, refusal.message);
    const body = await bodyOf(request, limits.bodyBytes);
    if (body === "cut_off") return void response.destroy();
    if (body === "too_long") return void say(response, 413, `a body has ${limits.bodyBytes} bytes at most`);
    if (body === "no_json") return void say(response, 400, "the body is no JSON");
    return body.json ?? null;
  }

  function follow(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): void {
    if (streams >= limits.streams) return void say(response, 503, "too many pages are open: close some");
    streams += 1;
    response.on("close", () => {
      streams -= 1;
    });
    const said = request.headers["last-event-id"];
    const after = typeof said === "string" && /^[\w.-]{1,64}$/.test(said) ? said : undefined;
    const { heartbeatMs } = limits;
    tellPage(response, { source, hub, team: query.get("team") ?? undefined, after, heartbeatMs });
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    for (const [name, value] of Object.entries(guardHeaders)) response.setHeader(name, value);
    serve(request, response).catch((error: unknown) => {
      if (response.headersSent) return void response.destroy();
      if (isTroupeError(error)) return say(response, statusOf(error.code), error.message);
      // What it says may name what the page must not know.
      show(messageOf(error));
      say(response, 500, "this cannot be shown: the terminal of troupe web says why");
    });
  }

  const servers = await listenBoth(() => {
    const { headMs: headersTimeout, requestMs: requestTimeout, idleMs: keepAliveTimeout } = limits;
    const timing = {
      headersTimeout,
      requestTimeout,
      keepAliveTimeout,
      connectionsCheckingInterval: headersTimeout / 2,
    };
    const server = createServer({ ...timing, maxHeaderSize: 16 * 1024 }, answer);
    server.maxConnections = limits.connections;
    // A page that does not read what it is told is left.
    server.setTimeout(4 * limits.heartbeatMs);
    return server;
  }, deps.port);
  gate = { port: portOf(servers[0]), token, pass };
  const ended = (async () => {
    if (!signal.aborted) await once(signal, "abort");
    await Promise.all(
      servers.map((server) => {
        const closed = once(server, "close");
        server.close();
        server.closeAllConnections();
        return closed;
      }),
    );
  })();
  return { url: `http://127.0.0.1:${gate.port}/#${token}`, ended };
}

const statusOf = (code: string): number => (/_unknown$/.test(code) ? 404 : code === "arguments_invalid" ? 400 : 409);

/** The page asks with the mark of what it has; only what is another is sent. */
function show200(request: IncomingMessage, response: ServerResponse, found: object): void {
  const body = JSON.stringify(found);
  const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
  if (request.headers["if-none-match"] === etag) return void response.writeHead(304, { etag }).end();
  response.setHeader("etag", etag);
  give(response, 200, "application/json; charset=utf-8", body);
}

/** The rest of a body that is refused is not waited for. */
function say(response: ServerResponse, status: number, message: string): void {
  const isCut = !response.req.complete && response.req.method !== "GET";
  if (isCut) response.setHeader("connection", "close").on("finish", () => response.req.destroy());
  give(response, status, "text/plain; charset=utf-8", `${message}\n`);
}

function give(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) }).end(body);
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** How often a port is tried that is free for one of the two addresses alone. */
const tries = 8;

/** The same port of both loopback addresses; where this machine has no ::1, of the other alone. */
async function listenBoth(make: () => Server, port: number): Promise<readonly [Server, ...Server[]]> {
  for (let left = tries; ; left -= 1) {
    const first = await listening(make(), port, "127.0.0.1");
    try {
      return [first, await listening(make(), portOf(first), "::1")];
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") return [first];
      first.close();
      if (code !== "EADDRINUSE" || port !== 0 || left <= 1) throw error;
    }
  }
}

async function listening(server: Server, port: number, host: string): Promise<Server> {
  server.listen({ port, host, exclusive: true });
  await once(server, "listening");
  return server;
}
