import Anthropic from "@anthropic-ai/sdk";
import { bytesOf } from "../prompt/frozen.ts";
import { collectAnswer, type StreamEvent } from "./collect.ts";
import type { FailureKind, Model, ModelFailure } from "./model.ts";

export interface AnthropicDeps {
  readonly client: Anthropic;
  /** For a `retry-after` that is a date. */
  readonly now: () => Date;
}

/**
 * The Messages API through a client of the SDK. The body is sent as the bytes it was frozen to, since the SDK would render objects anew and
 * move keys; it retries nothing, since the loop counts its attempts in the journal.
 */
export function anthropicModel({ client, now }: AnthropicDeps): Model {
  return async function* (request, signal) {
    try {
      const { betas } = request.key;
      const stream = await client.post<AsyncIterable<StreamEvent>>("/v1/messages", {
        body: bytesOf(request),
        headers: {
          "content-type": "application/json",
          ...(betas.length > 0 ? { "anthropic-beta": betas.join(",") } : {}),
        },
        stream: true,
        maxRetries: 0,
        signal,
      });
      yield* collectAnswer(stream, signal);
    } catch (error) {
      yield { kind: "failed", failure: failureOf(error, signal, now()) };
    }
  };
}

function failureOf(error: unknown, signal: AbortSignal, now: Date): ModelFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (signal.aborted || error instanceof Anthropic.APIUserAbortError) return { kind: "aborted", message };
  if (!(error instanceof Anthropic.APIError)) return { kind: "network", message };
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
function kindOf({ status, type, error, message, headers }: InstanceType<typeof Anthropic.APIError>): FailureKind {
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
