import type { Readable, Writable } from "node:stream";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";

/** A line that is longer ends the connection. */
const longestLine = 32 << 20;

export interface LinesDeps {
  readonly output: Readable;
  readonly input: Writable;
  /** Told of each line that is no message. */
  readonly onGarbage: (line: string) => void;
}

/** Messages of JSON, one a line; what else a program writes there is passed over. */
export function messageLines({ output, input, onGarbage }: LinesDeps): Stream {
  return {
    readable: new ReadableStream<AnyMessage>({
      start(controller) {
        let parts: Buffer[] = [];
        let length = 0;
        output.on("data", (chunk: Buffer) => {
          let from = 0;
          for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
            const line = Buffer.concat([...parts, chunk.subarray(from, end)]).toString("utf8");
            from = end + 1;
            [parts, length] = [[], 0];
            const message = messageIn(line);
            if (message) controller.enqueue(message);
            else if (line.trim() !== "") onGarbage(line);
          }
          if ((controller.desiredSize ?? 0) <= 0) output.pause();
          parts.push(chunk.subarray(from));
          length += chunk.length - from;
          if (length > longestLine) output.destroy(new Error(`a line is longer than ${longestLine} bytes`));
        });
        output.on("error", (error) => controller.error(error));
        output.on("close", () => {
          try {
            controller.close();
          } catch {
            // It was closed by its error.
          }
        });
      },
      pull: () => void output.resume(),
    }),
    writable: new WritableStream<AnyMessage>({
      write: (message) =>
        new Promise((resolve, reject) => {
          input.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
        }),
    }),
  };
}

function messageIn(line: string): AnyMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isMessage = typeof value === "object" && value !== null && "jsonrpc" in value;
    return isMessage ? (value as AnyMessage) : undefined;
  } catch {
    return undefined;
  }
}
