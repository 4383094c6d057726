import type { ServerResponse } from "node:http";
import type { Clock } from "./clock.ts";
import type { Message } from "./message.ts";
import { errorBody, type Refusal, refuse, statusOf } from "./refusal.ts";
import type { Ending, LogLine } from "./request-log.ts";
import type { ScriptedAnswer, Trouble } from "./script.ts";
import { eventsOf, eventText, type StreamEvent } from "./stream.ts";

/** The way back to the client of one request. */
export interface Delivery {
  /** Aborted when the connection is closed by either side. */
  readonly gone: AbortSignal;
  refuse(refusal: Refusal): void;
  json(body: unknown): void;
  /** Closes the connection as it is. */
  drop(): void;
  answer(message: Message, answer: ScriptedAnswer, isStream: boolean): Promise<void>;
}

export interface DeliveryDeps {
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly clock: Clock;
  readonly line: LogLine;
}

const contentType = { json: "application/json", stream: "text/event-stream; charset=utf-8" };

export function createDelivery({ response, requestId, clock, line }: DeliveryDeps): Delivery {
  const closing = new AbortController();
  const gone = closing.signal;
  let ending: Ending = "closed";
  response.on("close", () => {
    line.end(response.writableFinished ? "answered" : ending);
    closing.abort();
  });
  const head = (status: number, kind: keyof typeof contentType, headers: Readonly<Record<string, string>> = {}) => {
    line.note({ status });
    return response.writeHead(status, { "content-type": contentType[kind], "request-id": requestId, ...headers });
  };
  const write = (text: string) => new Promise<void>((resolve) => response.write(text, () => resolve()));
  const closed = () =>
    new Promise<void>((resolve) => (gone.aborted ? resolve() : gone.addEventListener("abort", () => resolve())));
  const drop = () => {
    ending = "dropped";
    response.destroy();
  };
  const refuseWith = (refusal: Refusal) => {
    head(refusal.status, "json", refusal.headers).end(JSON.stringify(errorBody(refusal, requestId)));
  };

  async function spoil(trouble: Trouble, next: StreamEvent) {
    if (trouble.kind === "stalled") return closed();
    if (trouble.kind === "cut") return drop();
    if (trouble.kind === "malformed") await write(`${eventText(next).trimEnd().slice(0, -2)}\n\n`);
    if (trouble.kind === "error")
      await write(`event: error\ndata: ${JSON.stringify(errorBody(trouble, requestId))}\n\n`);
    response.end();
  }

  async function stream(message: Message, answer: ScriptedAnswer) {
    const { trouble, paceMs = 0, headers } = answer;
    head(200, "stream", headers).flushHeaders();
    const events = eventsOf(message, answer);
    const wrongAt = trouble === undefined ? events.length : Math.min(trouble.after, events.length - 1);
    for (const [n, event] of events.entries()) {
      if (n > 0 && paceMs > 0) await clock.wait(paceMs, gone);
      if (n === wrongAt && trouble !== undefined) return spoil(trouble, event);
      await write(eventText(event));
    }
    response.end();
  }

  async function whole(message: Message, { trouble, paceMs = 0, headers }: ScriptedAnswer) {
    if (paceMs > 0) await clock.wait(paceMs, gone);
    if (trouble?.kind === "stalled") return closed();
    if (trouble?.kind === "error") {
      return refuseWith(refuse(statusOf[trouble.type] ?? 500, trouble.type, trouble.message));
    }
    const body = JSON.stringify(message);
    const half = body.slice(0, body.length / 2);
    if (trouble === undefined) return void head(200, "json", headers).end(body);
    if (trouble.kind === "malformed") return void head(200, "json", headers).end(half);
    head(200, "json", { ...headers, "content-length": String(Buffer.byteLength(body)) });
    await write(half);
    drop();
  }

  return {
    gone,
    refuse: refuseWith,
    json: (body) => void head(200, "json").end(JSON.stringify(body)),
    drop,
    answer: (message, answer, isStream) => (isStream ? stream(message, answer) : whole(message, answer)),
  };
}
