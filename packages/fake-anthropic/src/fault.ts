import { type Refusal, refuse } from "./refusal.ts";
import { type Dropped, outcomeOf, type Reply, type ScriptedAnswer, type Trouble } from "./script.ts";

export interface FaultHeaders {
  /** Seconds, a fraction if need be. */
  readonly retryAfter?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly details?: Readonly<Record<string, unknown>>;
}

function status(
  status: number,
  type: string,
  message: string,
  { retryAfter, headers, details }: FaultHeaders = {},
): Refusal {
  const wait = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  return { ...refuse(status, type, message), headers: { ...wait, ...headers }, ...(details && { details }) };
}

function answerOf(reply: Reply): ScriptedAnswer {
  const outcome = outcomeOf(reply);
  if ("content" in outcome) return outcome;
  throw new Error("only an answer can go wrong in its middle: give text, blocks or an object with content");
}

const troubled = (reply: Reply, trouble: Trouble): ScriptedAnswer => ({ ...answerOf(reply), trouble });

/** Faults to inject. `after` counts the events of the stream that arrive whole. */
export const fault = {
  status,
  overloaded: (extra?: FaultHeaders) => status(529, "overloaded_error", "Overloaded", extra),
  rateLimited: (extra?: FaultHeaders) =>
    status(429, "rate_limit_error", "This request would exceed your organization's rate limit.", extra),
  /** A 429 that no retry mends: it has no `retry-after`. */
  spendLimit: () =>
    status(429, "rate_limit_error", "Your organization has reached its spend limit.", {
      details: { error_code: "enforced_spend_limit_reached" },
    }),
  internal: (extra?: FaultHeaders) => status(500, "api_error", "Internal server error", extra),
  timeout: (extra?: FaultHeaders) => status(504, "timeout_error", "Request timed out", extra),
  dropped: (): Dropped => ({ kind: "dropped" }),
  cut: (reply: Reply, after: number) => troubled(reply, { kind: "cut", after }),
  /** The stream ends in order, without `message_stop`. */
  truncated: (reply: Reply, after: number) => troubled(reply, { kind: "truncated", after }),
  malformed: (reply: Reply, after: number) => troubled(reply, { kind: "malformed", after }),
  /** Nothing more comes until the client gives up. */
  stalled: (reply: Reply, after: number) => troubled(reply, { kind: "stalled", after }),
  errorEvent: (reply: Reply, after: number, type = "overloaded_error", message = "Overloaded") =>
    troubled(reply, { kind: "error", after, type, message }),
  slow: (reply: Reply, paceMs: number): ScriptedAnswer => ({ ...answerOf(reply), paceMs }),
};
