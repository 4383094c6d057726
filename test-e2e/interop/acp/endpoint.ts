import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type ContentBlock, type MessagesRequest, type Reply, type Rule, text, toolUse } from "@troupe/fake-anthropic";

/** How a model is asked, and answers, in one API. */
export interface Dialect {
  /** The end of the path of a request for an answer. */
  readonly path: RegExp;
  asMessages(body: never): MessagesRequest;
  /** The events of an answer, each a line of data, with its name where the API has names. */
  events(said: string, calls: readonly Called[], newId: () => string): readonly object[];
}

export interface Called {
  readonly name: string;
  readonly input: object;
}

export interface Endpoint {
  readonly url: string;
  close(): Promise<void>;
}

const blocksOf = (reply: Reply): readonly ContentBlock[] =>
  (typeof reply === "string" ? [text(reply)] : [reply].flat()) as readonly ContentBlock[];

async function bodyOf(request: IncomingMessage): Promise<never> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString() || "{}") as never;
}

/** Plays a model in a dialect on a free port of the loopback address. */
export async function startEndpoint(dialect: Dialect, rule: Rule): Promise<Endpoint> {
  let count = 0;
  const newId = () => `call_${++count}`;
  const server = createServer(async (request, response) => {
    try {
      const [path = ""] = (request.url ?? "").split("?");
      if (request.method !== "POST" || !dialect.path.test(path)) {
        response.writeHead(404, { "content-type": "application/json" }).end('{"error":{"message":"no such endpoint"}}');
        return;
      }
      const asked = dialect.asMessages(await bodyOf(request));
      const blocks = blocksOf((await rule(asked, { index: count, headers: request.headers })) ?? "OK.");
      const said = blocks.flatMap((block) => (block.type === "text" ? [String(block["text"])] : [])).join("\n");
      const calls = blocks.flatMap((block) =>
        block.type === "tool_use" ? [{ name: String(block["name"]), input: block["input"] as object }] : [],
      );
      const events = dialect.events(said, calls, newId);
      if (path.endsWith(":generateContent")) {
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(events[0]));
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of events) {
        if ("type" in event) response.write(`event: ${event.type}\n`);
        response.write(`data: ${JSON.stringify(event)}\n\n`);
      }
      response.end();
    } catch (error) {
      response.writeHead(400).end(String(error));
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** A call in the words of the Messages API, for which orders are written. */
export const asUse = (id: string, name: string, input: unknown): ContentBlock =>
  ({ ...toolUse(name, (input ?? {}) as object), id }) as unknown as ContentBlock;

/** What a call gave, in the same words. */
export const asResult = (id: string, content: string): ContentBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});
