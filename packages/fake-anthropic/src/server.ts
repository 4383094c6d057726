import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Admitted, admit } from "./admission.ts";
import { usageOf } from "./billing.ts";
import { type Clock, realClock } from "./clock.ts";
import { createDelivery, type Delivery } from "./delivery.ts";
import { messageOf } from "./message.ts";
import { models as documentedModels, type Model } from "./models.ts";
import { quarterOfBytes, type Tokenize } from "./positions.ts";
import { createPromptCache } from "./prompt-cache.ts";
import { invalid, isRefusal, refuse } from "./refusal.ts";
import { createRequestLog, type LoggedRequest, type LogLine } from "./request-log.ts";
import { createScript, type Reply, type Rule, type ScriptedAnswer } from "./script.ts";

export interface FakeAnthropicOptions {
  readonly replies?: readonly Reply[];
  readonly rule?: Rule;
  readonly clock?: Clock;
  readonly models?: readonly Model[];
  /**
   * Milliseconds from the start of a request to its first event: a number, or computed from the
   * uncached tokens.
   */
  readonly timeToFirstToken?: number | ((uncachedTokens: number) => number);
  readonly tokenize?: Tokenize;
  /** A free one unless told. */
  readonly port?: number;
}

export interface FakeAnthropic {
  /** The base URL for a client. */
  readonly url: string;
  /** All requests, in order of arrival. */
  readonly requests: readonly LoggedRequest[];
  readonly clock: Clock;
  push(...replies: readonly Reply[]): void;
  /** Resolves when so many requests have arrived. */
  received(count: number): Promise<void>;
  /** Drops what is open. */
  close(): Promise<void>;
}

const maxBodyBytes = 32 * 1024 * 1024;

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

const numbered = (prefix: string) => {
  let count = 0;
  return () => `${prefix}_${String(++count).padStart(4, "0")}`;
};

/** The models as a client asks for them, in one page. */
const modelList = (models: readonly Model[]) => ({
  data: models.map(({ id }) => ({ type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z" })),
  has_more: false,
  first_id: models[0]?.id ?? null,
  last_id: models.at(-1)?.id ?? null,
});

const preWarmed: ScriptedAnswer = { content: [], stopReason: "max_tokens" };

/** Starts a Messages API on the loopback address. */
export async function startFakeAnthropic(options: FakeAnthropicOptions = {}): Promise<FakeAnthropic> {
  const { clock = realClock, models = documentedModels, timeToFirstToken = 0, tokenize = quarterOfBytes } = options;
  const script = createScript(options);
  const log = createRequestLog();
  const cache = createPromptCache();
  const [nextRequestId, nextMessageId, nextToolUseId] = [numbered("req"), numbered("msg"), numbered("toolu")];

  async function run(admitted: Admitted, line: LogLine, delivery: Delivery) {
    const { request, model, thread, positions, breakpoints } = admitted;
    const { at } = line.request;
    const charge = cache.look({ positions, breakpoints, minimumTokens: model.minimumTokens }, at);
    line.note({ prefixHashes: positions.map(({ hash }) => hash) });
    const { index, headers } = line.request;
    const outcome = request.max_tokens === 0 ? preWarmed : await script.next(request, { index, headers });
    if (isRefusal(outcome)) return delivery.refuse(outcome);
    if (!("content" in outcome)) return delivery.drop();
    cache.refresh(charge);
    const uncached = charge.input + charge.write5m + charge.write1h;
    const first = typeof timeToFirstToken === "number" ? timeToFirstToken : timeToFirstToken(uncached);
    await clock.wait(Math.max(0, at + first - clock.now()), delivery.gone);
    cache.write(charge);
    const message = messageOf(outcome, {
      id: nextMessageId(),
      model: request.model,
      bill: charge,
      thread,
      tokenize,
      nextToolUseId,
    });
    line.note({ charge, usage: usageOf(charge, message.usage.output_tokens) });
    await delivery.answer(message, outcome, request.stream === true);
  }

  async function route(line: LogLine, delivery: Delivery) {
    const { method, path, json, headers, body } = line.request;
    if (method === "HEAD" && path === "/") return delivery.json({});
    if (method === "GET" && path === "/v1/models") return delivery.json(modelList(models));
    const rules = { "/v1/messages": "answer", "/v1/messages/count_tokens": "count" } as const;
    const found = Object.entries(rules).find(([known]) => known === path);
    if (found === undefined || method !== "POST") return delivery.refuse(refuse(404, "not_found_error", "Not found"));
    if (body.length > maxBodyBytes) {
      return delivery.refuse(refuse(413, "request_too_large", "Request exceeds the maximum size"));
    }
    const admitted = admit(json, headers, { models, tokenize, rules: found[1] });
    if (isRefusal(admitted)) return delivery.refuse(admitted);
    if (found[1] === "count") return delivery.json({ input_tokens: admitted.tokens });
    return run(admitted, line, delivery);
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse) {
    const body = await bodyOf(incoming);
    const { method = "", headers, url = "" } = incoming;
    const path = url.split("?")[0] ?? "";
    const line = log.arrive({ method, path, headers, body, json: jsonOf(body), at: clock.now() });
    const delivery = createDelivery({ response, requestId: nextRequestId(), clock, line });
    await route(line, delivery).catch((error: unknown) => {
      if (delivery.gone.aborted) return;
      if (response.headersSent) delivery.drop();
      else delivery.refuse(invalid(`fake-anthropic: ${error}`));
    });
  }

  const server = createServer((incoming, response) => void handle(incoming, response).catch(() => response.destroy()));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: log.requests,
    clock,
    push: script.push,
    received: log.received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
