import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { type Running, startProcess } from "@troupe/process";

/** One message of a server. */
const longestMessage = 10 << 20;
/**
 * Output of a server between two answers that is no answer: words that are no message, and messages
 * nobody asked for.
 */
const mostNoise = 4 << 20;
/** The cost of a line besides its length: many short ones take longer to read than a long one. */
const messageCost = 256;
const junkCost = 1_024;
/** How much of the end of the standard error is kept, to say why a server ended. */
const lastBytes = 2_000;
const longestJunk = 100;
/** How long a server has to end by itself when its input ends. */
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
 * A server as a child process. The SDK's own transport hands down our environment and kills the
 * child alone; this one hands down what it is given, ends everything below the server, and gives up
 * on a server that floods.
 */
export function stdioTransport({ command, args, cwd, environment }: StdioServer): StdioTransport {
  let running: Running | undefined;
  let stderr = "";
  let verdict: string | undefined;
  let junk: string | undefined;
  let exit: string | undefined;
  let isClosing = false;

  const transport: StdioTransport = {
    async start() {
      running = startProcess({ program: command, args, cwd, environment, hasInput: true });
      running.output.on("data", messagesIn(receive, refuse, giveUp));
      running.errors.on("data", (chunk: Buffer) => {
        stderr = (stderr + chunk.subarray(-lastBytes).toString("utf8")).slice(-lastBytes);
      });
      const { fault } = running.pid === undefined ? await running.ended : { fault: undefined };
      if (fault !== undefined) throw new Error(fault);
      void running.ended.then(({ code, signal }) => {
        // Its words when it is told to end are no news.
        if (!isClosing) exit = signal === null ? `it ended with the exit code ${code}` : `it was ended by ${signal}`;
        transport.onclose?.();
      });
    },
    async send(message) {
      if (!running?.input?.writable) throw new Error("the server has ended");
      running.input.write(serializeMessage(message));
    },
    async close() {
      isClosing = true;
      running?.input?.end();
      const patience = AbortSignal.timeout(graceMs);
      const overdue = new Promise<void>((resolve) => patience.addEventListener("abort", () => resolve()));
      await Promise.race([running?.ended, overdue]);
      await running?.end();
    },
    lastWords: () => verdict ?? [exit, junk, stderr.trim()].filter(Boolean).join(": "),
  };
  return transport;

  function receive(message: JSONRPCMessage): void {
    transport.onmessage?.(message);
  }

  /** The first line says most of what the program is that was started instead of a server. */
  function refuse(line: string): void {
    junk ??= `it printed a line that is not a message: ${JSON.stringify(line.slice(0, longestJunk))}`;
  }

  function giveUp(why: string): void {
    verdict ??= why;
    running?.output.destroy();
    void running?.end();
  }
}

/** Reads messages line by line; a line that is none is passed over. */
function messagesIn(
  receive: (message: JSONRPCMessage) => void,
  refuse: (line: string) => void,
  giveUp: (why: string) => void,
) {
  let parts: Buffer[] = [];
  let size = 0;
  let noise = 0;
  const readLine = (line: Buffer) => {
    const message = messageOf(line);
    const isAnswer = message !== undefined && ("result" in message || "error" in message);
    noise = isAnswer ? 0 : noise + line.length + (message ? messageCost : junkCost);
    if (message) receive(message);
    else if (line.length > 0) refuse(line.toString("utf8"));
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
    else if (noise > mostNoise) giveUp(`it printed more than ${mostNoise} bytes that are not answers`);
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
