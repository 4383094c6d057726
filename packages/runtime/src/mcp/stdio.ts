import { type ChildProcess, spawn } from "node:child_process";
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { endTree } from "../process-tree.ts";

/** One message of a server. */
const longestMessage = 10 << 20;
/** What a server may print between two answers that is no answer: words that are no message, and messages nobody asked for. */
const mostNoise = 4 << 20;
/** What a line counts besides its length: many short ones take longer to read than a long one. */
const messageCost = 256;
const junkCost = 1_024;
/** How much of the end of the standard error is kept, to say why a server ended. */
const lastBytes = 2_000;
/** How long a server has to end by itself when its input ends, and its output to end when it has. */
const graceMs = 500;

export interface StdioServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface StdioTransport extends Transport {
  /** Why it ended, as far as is known. */
  lastWords(): string;
}

/**
 * A server as a child process. The SDK's own transport hands down our environment and kills the child alone; this one hands down what it is
 * given, ends everything below the server, and gives up on a server that floods.
 */
export function stdioTransport({ command, args, cwd, environment }: StdioServer): StdioTransport {
  let child: ChildProcess | undefined;
  let ended: Promise<void> | undefined;
  let swept: Promise<unknown> | undefined;
  let stderr = "";
  let verdict: string | undefined;

  const transport: StdioTransport = {
    start: () =>
      new Promise((resolve, reject) => {
        const server = spawn(command, args, { cwd, env: environment, detached: true, stdio: "pipe" });
        child = server;
        ended = new Promise((done) => server.once("close", () => done()));
        server.once("spawn", resolve);
        server.once("error", reject);
        server.once("exit", () => {
          sweep();
          setTimeout(() => {
            server.stdout.destroy();
            server.stderr.destroy();
          }, graceMs).unref();
        });
        server.once("close", () => transport.onclose?.());
        server.stdin.on("error", () => {});
        server.stdout.on("data", messagesIn(receive, giveUp));
        server.stderr.on("data", (chunk: Buffer) => {
          stderr = (stderr + chunk.subarray(-lastBytes).toString("utf8")).slice(-lastBytes);
        });
      }),
    async send(message) {
      if (!child?.stdin?.writable) throw new Error("the server has ended");
      child.stdin.write(serializeMessage(message));
    },
    async close() {
      child?.stdin?.end();
      const patience = AbortSignal.timeout(graceMs);
      const overdue = new Promise<void>((resolve) => patience.addEventListener("abort", () => resolve()));
      await Promise.race([ended, overdue]);
      await sweep();
      await ended;
    },
    lastWords: () => verdict ?? stderr.trim(),
  };
  return transport;

  function receive(message: JSONRPCMessage): void {
    transport.onmessage?.(message);
  }

  function giveUp(why: string): void {
    verdict ??= why;
    child?.stdout?.destroy();
    sweep();
  }

  /** Ends what is left, once: later the number of the process may be another's. */
  function sweep(): Promise<unknown> | undefined {
    if (child?.pid !== undefined) swept ??= endTree(child.pid);
    return swept;
  }
}

/** Reads messages line by line; a line that is none is passed over. */
function messagesIn(receive: (message: JSONRPCMessage) => void, giveUp: (why: string) => void) {
  let parts: Buffer[] = [];
  let size = 0;
  let noise = 0;
  const readLine = (line: Buffer) => {
    const message = messageOf(line);
    const isAnswer = message !== undefined && ("result" in message || "error" in message);
    noise = isAnswer ? 0 : noise + line.length + (message ? messageCost : junkCost);
    if (message) receive(message);
  };
  return (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf("\n"); at >= 0; at = chunk.indexOf("\n", from)) {
      readLine(Buffer.concat([...parts, chunk.subarray(from, at)]));
      parts = [];
      size = 0;
      from = at + 1;
    }
    parts.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > longestMessage) giveUp(`it sent a message of more than ${longestMessage} bytes`);
    else if (noise > mostNoise) giveUp(`it printed more than ${mostNoise} bytes that answer nothing`);
  };
}

function messageOf(line: Buffer): JSONRPCMessage | undefined {
  if (!line.toString("latin1", 0, 1).startsWith("{")) return undefined;
  try {
    return deserializeMessage(line.toString("utf8"));
  } catch {
    return undefined;
  }
}
