import type { Terminal } from "../journal/entry.ts";
import { type Caps, capReached } from "../journal/spent.ts";
import { type Call, hasUnseen, type State } from "../journal/state.ts";
import type { ModelFailure } from "../model/model.ts";

/** The limits of a run. */
export interface Limits {
  /** Answers before the run is ended. */
  readonly maxTurns?: number;
  /** Tokens a run may cost, sent and answered. */
  readonly maxTokens?: number;
  /** What all runs of the conversation may come to. */
  readonly caps?: Caps | undefined;
  /** Tokens at which the conversation is summarised. */
  readonly compactAt: number;
  readonly maxFailures: number;
  /** Times in a row that we ask the model to go on with an answer that was cut or empty. */
  readonly maxContinuations: number;
  /** Times in a row that a hook may keep the agent from stopping. */
  readonly maxStopBlocks: number;
}

/** The one next thing to do. */
export type Action =
  | { readonly do: "ask"; readonly afterMs: number }
  | { readonly do: "run_tools"; readonly calls: readonly Call[] }
  /** Answers calls that will not be run: every call gets exactly one result, on every path. */
  | {
      readonly do: "answer_calls";
      readonly calls: readonly Call[];
      readonly why: "aborted" | "cut" | "interrupted" | "truncated";
    }
  | { readonly do: "consume"; readonly inputs: readonly string[] }
  | { readonly do: "continue"; readonly why: "truncated" | "empty" }
  | { readonly do: "compact"; readonly trigger: "auto" | "overflow"; readonly afterMs: number }
  | { readonly do: "check_stop" }
  | { readonly do: "end"; readonly terminal: Terminal }
  /** Nothing to do until somebody says something. */
  | { readonly do: "rest" };

/**
 * Pure and total. It looks at what has happened alone, so a run that was killed goes on as if it
 * had only waited.
 */
export function decide(state: State, limits: Limits): Action {
  const open = state.calls.filter(({ result }) => result === undefined);
  if (open.length > 0) return finishCalls(state, open);
  if (state.ended) return consume(state, ["now", "next", "later"]) ?? { do: "rest" };
  if (state.aborted) return end(state, { why: "aborted", reason: state.aborted });
  if (state.failure) return afterFailure(state, state.failure, limits);
  if (state.answer) return afterAnswer(state, state.answer, limits);
  if (hasUnseen(state)) return beforeAsking(state, limits);
  return consume(state, ["now", "next", "later"]) ?? { do: "rest" };
}

function finishCalls(state: State, open: readonly Call[]): Action {
  if (state.aborted) return { do: "answer_calls", calls: open, why: "aborted" };
  if (isBrokenOff.has(state.answer?.stopReason)) return { do: "answer_calls", calls: open, why: "truncated" };
  const cut = open.filter(({ isCut }) => isCut);
  if (cut.length > 0) return { do: "answer_calls", calls: cut, why: "cut" };
  const cutOff = open.filter(({ hasStarted, isReplayable }) => hasStarted && !isReplayable);
  return cutOff.length > 0
    ? { do: "answer_calls", calls: cutOff, why: "interrupted" }
    : { do: "run_tools", calls: open };
}

/** Answers whose calls may be cut in their middle. */
const isBrokenOff = new Set<string | undefined>(["max_tokens", "model_context_window_exceeded", "refusal"]);

/**
 * The checkpoint between rounds, in fixed order: what arrived, the budget, the room that is left,
 * the call. An answer that is paused is sent back as it is: behind a call that the server has not
 * ended, the API takes no words.
 */
function beforeAsking(state: State, limits: Limits, afterMs = 0): Action {
  const isPaused = state.answer?.stopReason === "pause_turn";
  const arrived = isPaused ? undefined : consume(state, ["now", "next"]);
  if (arrived) return arrived;
  const because = capReached(state.spent, limits.caps);
  if (because !== undefined) return end(state, { why: "budget", because });
  if (state.turns >= (limits.maxTurns ?? Number.POSITIVE_INFINITY)) return end(state, { why: "max_turns" });
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output } = state.usage;
  const spent = input + cacheRead + cacheWrite5m + cacheWrite1h + output;
  if (spent >= (limits.maxTokens ?? Number.POSITIVE_INFINITY)) return end(state, { why: "budget" });
  if (!isPaused && state.tokens >= limits.compactAt && state.past && state.compactions === 0)
    return { do: "compact", trigger: "auto", afterMs };
  return { do: "ask", afterMs };
}

function afterAnswer(state: State, { stopReason, text }: NonNullable<State["answer"]>, limits: Limits): Action {
  if (stopReason === "pause_turn") return beforeAsking(state, limits);
  const arrived = consume(state, ["now", "next"]);
  if (stopReason === "refusal") return arrived ?? end(state, { why: "refusal" });
  if (stopReason === "model_context_window_exceeded") return makeRoom(state);
  if (arrived) return arrived;
  const isCut = stopReason === "max_tokens";
  if (state.calls.length > 0)
    return state.continuations > limits.maxContinuations
      ? end(state, {
          why: "model_error",
          failure: { kind: "invalid", message: "every answer was cut off inside its tool calls" },
        })
      : beforeAsking(state, limits);
  if ((isCut || text === "") && state.continuations < limits.maxContinuations)
    return { do: "continue", why: isCut ? "truncated" : "empty" };
  const later = consume(state, ["later"]);
  if (later) return later;
  if (!state.mayStop && state.stopBlocks < limits.maxStopBlocks) return { do: "check_stop" };
  return { do: "end", terminal: { isOk: true, why: "completed", text } };
}

function afterFailure(state: State, failure: NonNullable<State["failure"]>, limits: Limits): Action {
  if (failure.kind === "superseded") return beforeAsking(state, limits);
  if (failure.kind === "overflow" && failure.during === "answer") return makeRoom(state);
  if (!isPassing.has(failure.kind) || state.failures > limits.maxFailures)
    return end(state, { why: failure.kind === "overflow" ? "overflow" : "model_error", failure });
  return beforeAsking(state, limits, failure.retryAfterMs ?? Math.min(500 * 2 ** (state.failures - 1), 8_000));
}

/** Failures that go away by themselves. */
const isPassing = new Set<ModelFailure["kind"]>(["network", "overloaded", "rate_limited", "server"]);

const makeRoom = (state: State): Action =>
  state.compactions === 0 && state.past
    ? { do: "compact", trigger: "overflow", afterMs: 0 }
    : end(state, { why: "overflow" });

function consume(state: State, priorities: readonly string[]): Action | undefined {
  const inputs = priorities.flatMap((priority) => state.waiting.filter((input) => input.priority === priority));
  return inputs.length > 0 ? { do: "consume", inputs: inputs.map(({ id }) => id) } : undefined;
}

type Failed = Extract<Terminal, { isOk: false }>;

const end = (state: State, how: Omit<Failed, "isOk" | "text">): Action => ({
  do: "end",
  terminal: { isOk: false, text: state.answer?.text ?? "", ...how },
});
