import type { Input, StopVerdict } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import type { Block, Model } from "../model/model.ts";
import type { Prefix } from "../prompt/frozen.ts";
import type { Limits } from "./decide.ts";

/** The only way out of the loop. */
export interface Ports {
  readonly journal: Journal;
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly inputs: Inputs;
  /** What stands before the conversation; asked for once, when the first request is made. */
  readonly prefix: () => Promise<Prefix>;
  /** Whether the agent may stop here. */
  readonly mayStop: (text: string, isStopHookActive: boolean) => Promise<StopVerdict>;
  /** Ends early when the signal does. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly newId: () => string;
  readonly limits: RunLimits;
}

export interface RunLimits extends Limits {
  /** Tokens of one answer; doubled for one that was cut. */
  readonly answerTokens: number;
  readonly maxAnswerTokens: number;
  /** How long a tool may take to end after it was told to. */
  readonly graceMs: number;
}

/** What a model can do besides talking. */
export interface Tool {
  readonly definition: { readonly name: string; readonly description: string; readonly input_schema: object };
  /** May it run again when a crash left no result? Only where doing it twice is doing it once. */
  readonly isReplayable: boolean;
  /** May it run beside its neighbours? */
  isConcurrent(input: unknown): boolean;
  /** A tool that throws is a failed call, not a failed turn. It ends soon after the signal does. */
  run(input: unknown, context: ToolContext): Promise<ToolOutcome>;
}

export interface ToolContext {
  readonly call: string;
  readonly signal: AbortSignal;
}

export interface ToolOutcome {
  readonly content: readonly Block[];
  readonly isError?: boolean;
}

/** Where an agent's inputs come from. */
export interface Inputs {
  /** What has arrived since; it is the agent's from here on. */
  take(): readonly Arrival[];
  /** Resolves when something has arrived that cannot wait for the model to finish. */
  whenUrgent(signal: AbortSignal): Promise<void>;
}

export interface Arrival {
  readonly input: Input;
  /** Called once it stands in the journal: the moment to mark the message as read. */
  readonly acknowledge?: () => Promise<void>;
}
