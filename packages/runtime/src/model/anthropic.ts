import { APIError, APIUserAbortError, type BaseAnthropic } from "@anthropic-ai/sdk";
import { Stream } from "@anthropic-ai/sdk/core/streaming";
import { messageOf } from "@troupe/protocol";
import { collectAnswer } from "./collect.ts";
import { bytesOf } from "./frozen.ts";
import type { FailureKind, Model, ModelFailure } from "./model.ts";
import { type Patience, type Silence, usualPatience, watchSilence } from "./silence.ts";

export interface AnthropicDeps {
  /** An `Anthropic`, or the smaller class below it: no resource of it is used. */
  readonly client: BaseAnthropic;
  /** For a `retry-after` that is a date. */
  readonly now: () => Date;
  /** How long a call may be silent; `usualPatience` unless it is said. */
  readonly patience?: Partial<Patience>;
}

/**
 * The Messages API through a client of the SDK. The body is sent as the bytes it was frozen to,
 * since the SDK would render objects anew and move keys; it retries nothing, since the loop counts
 * its attempts in the journal.
 */
export function anthropicModel({ client, now, patience }: AnthropicDeps): Model {
  return async function* (request, signal) {
    const silence = watchSilence({ ...usualPatience, ...patience });
    const left = new AbortController();
    try {
      const { betas } = request.key;
      const response = await client
        .post("/v1/messages", {
          body: bytesOf(request),
          headers: {
            "content-type": "application/json",
            ...(betas.length > 0 ? { "anthropic-beta": betas.join(",") } : {}),
          },
          stream: true,
          maxRetries: 0,
          signal: AbortSignal.any([signal, silence.signal, left.signal]),
        })
        .asResponse();
      yield* collectAnswer(eventsIn(response, silence));
    } catch (error) {
      const isSilent = silence.signal.aborted && !signal.aborted;
      const failure = isSilent
        ? ({ kind: "network", message: messageOf(silence.signal.reason) } as const)
        : failureOf(error, signal, now());
      yield { kind: "failed", failure };
    } finally {
      silence.end();
      left.abort();
    }
  };
}

/** The events of a stream, pings apart; what goes wrong behind the last one is of no account. */
async function* eventsIn(response: Response, silence: Silence): AsyncGenerator<unknown> {
  let isWhole = false;
  try {
    for await (const { event, data } of Stream.rawEvents(response)) {
      if (isWhole) continue;
      isWhole = event === "message_stop";
      silence.heard(isWhole ? "last" : event === "ping" ? "ping" : "content");
      if (event === "error") throw errorIn(data, response.headers);
      if (event !== "ping" && event !== null && data !== "") yield JSON.parse(data);
    }
  } catch (error) {
    if (!isWhole) throw error;
  }
}

/** An error that comes in the middle of a stream, as the SDK would tell it. */
function errorIn(data: string, headers: Headers): APIError {
  const body = parsed(data);
  const told = typeof body === "object" && body !== null ? body : { error: { message: data } };
  const { type } = (told as { error?: { type?: NonNullable<APIError["type"]> } }).error ?? {};
  return new APIError(undefined, told, undefined, headers, type);
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}

function failureOf(error: unknown, signal: AbortSignal, now: Date): ModelFailure {
  const message = wordsOf(error);
  if (signal.aborted || error instanceof APIUserAbortError) return { kind: "aborted", message };
  if (!(error instanceof APIError)) return { kind: "network", message };
  const { status, headers, requestID } = error;
  const retryAfterMs = headers ? retryAfter(headers, now) : undefined;
  return {
    kind: kindOf(error),
    message,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(requestID ? { requestId: requestID } : {}),
  };
}

/** Of a connection that failed, only the innermost cause names the address. */
function wordsOf(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && (inner.cause instanceof Error || inner instanceof AggregateError))
    inner = inner instanceof AggregateError ? inner.errors[0] : inner.cause;
  const [message, why] = [messageOf(error), messageOf(inner)];
  return inner === error ? message : `${message.replace(/\.$/, "")}: ${why}`;
}

const byStatus = new Map<number, FailureKind>([
  [401, "unauthorized"],
  [402, "spend_limited"],
  [403, "unauthorized"],
  [413, "overflow"],
  [429, "rate_limited"],
  [529, "overloaded"],
]);

const byType = new Map<string | null | undefined, FailureKind>([
  ["overloaded_error", "overloaded"],
  ["rate_limit_error", "rate_limited"],
  ["api_error", "server"],
]);

/** An error inside a stream has a type and no status of its own. */
function kindOf({ status, type, error, message, headers }: APIError): FailureKind {
  if (status === 400 && /prompt is too long|context (?:window|limit)/i.test(message)) return "overflow";
  if (JSON.stringify(error ?? null).includes("enforced_spend_limit_reached")) return "spend_limited";
  if (status === undefined) return byType.get(type) ?? "network";
  const isTransient = status === 408 || status === 409 || status === 429 || status >= 500;
  if (isTransient && headers?.get("x-should-retry") === "false") return "invalid";
  return byStatus.get(status) ?? (isTransient ? "server" : "invalid");
}

/** In milliseconds, in seconds, or as a date. */
function retryAfter(headers: Headers, now: Date): number | undefined {
  const ms = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  if (ms >= 0) return ms;
  const text = headers.get("retry-after") ?? "";
  const after = /^[\d.]+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now.getTime();
  return after >= 0 ? after : undefined;
}
