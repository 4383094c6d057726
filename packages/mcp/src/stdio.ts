import type { Readable, Writable } from "node:stream";
import type { McpServer, McpServerFactory } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { messageOf } from "@troupe/protocol";
import { aborted } from "@troupe/store";
import { type Place, teamServer } from "./server.ts";
import { followUpdates } from "./updates.ts";

export interface StdioDeps {
  readonly place: Place;
  /** Of the program. */
  readonly version: string;
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
  /** Shows the user what went wrong. */
  readonly show: (message: string) => void;
}

/** Serves one client on two streams; resolves when it is gone or the signal has fired. */
export async function serveTeamStdio({ place, version, input, output, signal, show }: StdioDeps): Promise<void> {
  const ended = new AbortController();
  const over = AbortSignal.any([signal, ended.signal]);
  const tellers = new Set<(uri: string) => void>();
  const factory: McpServerFactory = ({ era }) => {
    const server = teamServer(place, version, { isTold: true });
    // A client of 2025 that says so much is there to stay.
    if (era === "legacy" && place.role !== "observer") place.seat().catch((error: unknown) => show(messageOf(error)));
    tellers.add(tellerOf(server, era));
    return server;
  };
  const handle = serveStdio(factory, {
    transport: new StdioServerTransport(input, output),
    onerror: ({ message }) => show(message),
  });
  const tell = (uri: string) => {
    for (const one of tellers) one(uri);
  };
  const updates = followUpdates({ room: place.room, signal: over, tell, show });
  input.once("close", () => ended.abort());
  input.once("end", () => ended.abort());
  try {
    await aborted(over);
  } finally {
    await handle.close();
    await updates;
  }
}

/**
 * Clients of 2025 subscribe by a request each; of later ones the transport sorts out who listens.
 */
function tellerOf({ server }: McpServer, era: "legacy" | "modern"): (uri: string) => void {
  const tell = (uri: string) => void server.sendResourceUpdated({ uri }).catch(() => {});
  if (era === "modern") return tell;
  const wanted = new Set<string>();
  server.setRequestHandler("resources/subscribe", ({ params }) => {
    wanted.add(params.uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    wanted.delete(params.uri);
    return {};
  });
  return (uri) => {
    if (wanted.has(uri)) tell(uri);
  };
}
