import type { FrozenRequest } from "./frozen.ts";

/**
 * A content block of the Messages API, kept as it came: what is not known is sent back unchanged.
 */
export interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Tokens of one request; the first four add up to what was sent. */
export interface Usage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly output: number;
}

/** The input of a call as the model wrote it. */
export interface WrittenInput {
  readonly id: string;
  readonly json: string;
}

/** The answer of the model, whole. */
export interface Answer {
  readonly id: string;
  readonly model: string;
  readonly content: readonly Block[];
  /**
   * Ids of calls whose input did not come as one whole object: they have an empty one, and are
   * answered and not run.
   */
  readonly cut?: readonly string[];
  /**
   * Inputs that come out differently when they are parsed and written again: large numbers, keys
   * that look like numbers, blanks.
   */
  readonly written?: readonly WrittenInput[];
  /** One of the API's words; one that is not known ends the turn like `end_turn`. */
  readonly stopReason: string;
  readonly usage: Usage;
}

/**
 * Why there is no answer. `superseded` is our own doing: something more urgent arrived while the
 * model spoke.
 */
export type FailureKind =
  | "aborted"
  | "invalid"
  | "network"
  | "overflow"
  | "overloaded"
  | "rate_limited"
  | "server"
  | "spend_limited"
  | "superseded"
  | "unauthorized";

export interface ModelFailure {
  readonly kind: FailureKind;
  readonly message: string;
  readonly status?: number;
  /** How long the API asks us to wait. */
  readonly retryAfterMs?: number;
  readonly requestId?: string;
}

/** The events of a model call, in this order: `begun` once, pieces, and one end. */
export type ModelEvent =
  | { readonly kind: "begun" }
  | { readonly kind: "piece"; readonly of: "text" | "thinking" | "tool_use"; readonly text: string }
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "failed"; readonly failure: ModelFailure };

/** A call never throws: whatever happens, the last event is `answered` or `failed`. */
export type Model = (request: FrozenRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;

export const noUsage: Usage = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 };

/** How much of the context window a request filled. */
export const sentTokens = (usage: Usage): number =>
  usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;

export const addUsage = (one: Usage, other: Usage): Usage => ({
  input: one.input + other.input,
  cacheRead: one.cacheRead + other.cacheRead,
  cacheWrite5m: one.cacheWrite5m + other.cacheWrite5m,
  cacheWrite1h: one.cacheWrite1h + other.cacheWrite1h,
  output: one.output + other.output,
});
