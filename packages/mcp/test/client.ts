import { PassThrough, type Readable, type Writable } from "node:stream";
import {
  type CallToolResult,
  Client,
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Place } from "../src/index.ts";
import { serveTeamStdio } from "../src/index.ts";

/** The protocol versions that are served, and how a client is made to speak each. */
export const versions = ["2025-06-18", "2025-11-25", "2026-07-28"] as const;
export type Version = (typeof versions)[number];

/** A client over a pair of streams. */
function streamTransport(read: Readable, write: Writable): Transport {
  const buffer = new ReadBuffer();
  const transport: Transport = {
    async start() {
      read.on("data", (chunk: Buffer) => {
        buffer.append(chunk);
        for (let message = buffer.readMessage(); message; message = buffer.readMessage())
          transport.onmessage?.(message);
      });
      read.on("close", () => transport.onclose?.());
    },
    async send(message: JSONRPCMessage) {
      write.write(serializeMessage(message));
    },
    async close() {
      write.end();
      transport.onclose?.();
    },
  };
  return transport;
}

export interface Connected {
  readonly client: Client;
  /** The answer of a tool. */
  use(name: string, args?: Record<string, unknown>): Promise<CallToolResult>;
  /** The data of its answer; rejects with what an error says. */
  ask(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Goes away without a word, and waits until the server has noticed. */
  vanish(): Promise<void>;
  readonly shown: readonly string[];
}

/** The official client, connected to a server for the place. */
export async function connect(place: Place, version: Version = "2025-11-25"): Promise<Connected> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const shown: string[] = [];
  const ending = new AbortController();
  const served = serveTeamStdio({
    place,
    version: "0.0.0",
    input,
    output,
    signal: ending.signal,
    show: (message) => void shown.push(message),
  });
  const client = clientOf(version);
  await client.connect(streamTransport(output, input));
  return {
    ...talk(client),
    shown,
    async vanish() {
      input.end();
      await served;
    },
  };
}

export const clientOf = (version: Version): Client =>
  new Client(
    { name: "test", version: "1.0.0" },
    version === "2026-07-28"
      ? { versionNegotiation: { mode: { pin: version } } }
      : { supportedProtocolVersions: [version] },
  );

export function talk(client: Client): Pick<Connected, "client" | "use" | "ask"> {
  const use = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args });
  return {
    client,
    use,
    async ask(name, args) {
      const { isError, content, structuredContent } = await use(name, args);
      const [said] = content ?? [];
      if (isError) throw new Error(said?.type === "text" ? said.text : "an error without words");
      return structuredContent as Record<string, unknown>;
    },
  };
}
