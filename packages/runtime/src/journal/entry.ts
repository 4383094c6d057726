import type { Delivered, LedgerEntry } from "@troupe/team";
import type { Prefix } from "../model/frozen.ts";
import type { Answer, Block, ModelFailure, Usage } from "../model/model.ts";

/**
 * `now` interrupts the model, `next` is seen at the next round, `later` when the agent would stop.
 */
export type Priority = "now" | "next" | "later";

/** The source of an input. */
export type Origin =
  | { readonly kind: "human" }
  /** `end`: the end that it tells of, which is told once in the life of a session. */
  | { readonly kind: "task-notification"; readonly task: string; readonly end?: string }
  | { readonly kind: "scheduled"; readonly task: string }
  | { readonly kind: "channel"; readonly server: string }
  | { readonly kind: "hook"; readonly event: string }
  | { readonly kind: "permission"; readonly call: string }
  | { readonly kind: "teammate"; readonly name: string }
  /** The agent that started this one, or wrote to it. */
  | { readonly kind: "caller" };

/** Why a run is to end. */
export const abortReasons = [
  "user_interrupt",
  "task_stop",
  "parent_gone",
  "shutdown",
  "budget",
  "hook_stopped",
] as const;
export type AbortReason = (typeof abortReasons)[number];

/** How a run ended. */
export type Terminal =
  | { readonly isOk: true; readonly why: "completed"; readonly text: string }
  | {
      readonly isOk: false;
      readonly why: "aborted" | "budget" | "max_turns" | "model_error" | "overflow" | "refusal";
      /** The model's words until then. */
      readonly text: string;
      readonly reason?: AbortReason;
      readonly failure?: ModelFailure;
      /** Which cap was reached, in words. */
      readonly because?: string;
    };

/**
 * A message to the agent; it is the agent's once it stands in the journal, whatever happens to the
 * sender's copy.
 */
export interface Input {
  readonly id: string;
  readonly priority: Priority;
  readonly origin: Origin;
  readonly content: readonly Block[];
  /** Of mail: the entry of the ledger that stands and falls with it. */
  readonly delivered?: Delivered;
}

/** Whether the agent may stop here, as a hook sees it. */
export type StopVerdict = { readonly stops: true } | { readonly stops: false; readonly because: string };

/**
 * All that can happen to a conversation. The state of an agent is the fold of these and of nothing
 * else.
 */
export type Entry =
  /** The first line, with the version of this format. */
  | { readonly kind: "opened"; readonly format: 1; readonly fork?: ForkPoint }
  /** The prefix of the conversation from here on. */
  | { readonly kind: "prefix"; readonly prefix: Prefix }
  | { readonly kind: "input"; readonly input: Input }
  /** The model sees it from here on: inputs that waited, or words of our own. */
  | { readonly kind: "said"; readonly content: readonly Block[]; readonly inputs: readonly string[] }
  /** Intent: the model is asked, and its answer will be called `result`. */
  | { readonly kind: "asked"; readonly result: string }
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "failed"; readonly failure: ModelFailure; readonly during: "answer" | "summary" }
  /** Intent: a tool begins. */
  | { readonly kind: "called"; readonly call: string; readonly isReplayable: boolean }
  | {
      readonly kind: "result";
      readonly call: string;
      readonly content: readonly Block[];
      readonly isError: boolean;
      /** The end of an agent that it tells of. */
      readonly tells?: string;
    }
  /** The conversation so far is replaced by its summary. */
  | {
      readonly kind: "compacted";
      readonly summary: string;
      readonly trigger: CompactTrigger;
      readonly preTokens: number;
      readonly usage: Usage;
    }
  | { readonly kind: "stop_checked"; readonly verdict: StopVerdict }
  /** An entry of its ledger as a member of a team. */
  | { readonly kind: "ledger"; readonly entry: LedgerEntry }
  | { readonly kind: "aborted"; readonly reason: AbortReason }
  | { readonly kind: "ended"; readonly terminal: Terminal };

export type CompactTrigger = "auto" | "manual" | "overflow";

/**
 * Where a fork leaves its parent's conversation: this much of it is the fork's own past, kept by
 * pointing at it.
 */
export interface ForkPoint {
  readonly transcript: string;
  /** The line of the parent's answer that started the fork. */
  readonly line: string;
}

/** An entry as it stands in the file. */
export type Stored = Entry & { readonly id: string; readonly at: string };
