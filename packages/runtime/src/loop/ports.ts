import type { CompactTrigger, Input, StopVerdict, Stored } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import type { Prefix } from "../model/frozen.ts";
import type { Model } from "../model/model.ts";
import type { Limits } from "./decide.ts";
import type { Judge, Tool } from "./tool.ts";

/** The only way out of the loop. */
export interface Ports<Agent = unknown> {
  readonly journal: Journal;
  readonly model: Model;
  readonly tools: readonly Tool<Agent>[];
  /** Why it has no tool of this name, where that can be said. */
  readonly whyLacking?: ((name: string) => string | undefined) | undefined;
  /** The agent, as the tools know it: the loop hands it on and does not look at it. */
  readonly agent: Agent;
  /**
   * Looks at each call before it runs and at each result before the model sees it; without one
   * everything may run.
   */
  readonly judge?: Judge;
  readonly inputs: Inputs;
  /** The prefix of the conversation; asked for once, when the first request is made. */
  readonly prefix: () => Promise<Prefix>;
  /** The model from the next request on, where it is to be another than that of the prefix. */
  readonly switchedTo?: (() => string | undefined) | undefined;
  /** Whether the agent may stop here. */
  readonly mayStop: (text: string, isStopHookActive: boolean, signal: AbortSignal) => Promise<StopVerdict>;
  /**
   * Whether the conversation may be summarised; asked once a round, however often that is tried.
   * Without it, it may. The words are a person's, who wants it.
   */
  readonly mayCompact?: (trigger: CompactTrigger, signal: AbortSignal, words?: string) => Promise<CompactVerdict>;
  /**
   * Told the summary that takes the place of the conversation; what it returns is put behind it.
   */
  readonly compacted?: (trigger: CompactTrigger, summary: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Ends early when the signal does. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly newId: () => string;
  readonly limits: RunLimits;
}

/** Without a summary the agent goes on as long as its requests can be sent. */
export type CompactVerdict =
  /** `instructions`: what the summary is to heed besides what every summary does. */
  { readonly compacts: true; readonly instructions?: string } | { readonly compacts: false; readonly because: string };

export interface RunLimits extends Limits {
  /** Tokens of one answer; doubled for one that was cut. */
  readonly answerTokens: number;
  readonly maxAnswerTokens: number;
  /** How long a tool may take to end after it was told to. */
  readonly graceMs: number;
}

/** Where an agent's inputs come from. */
export interface Inputs {
  /** Takes the arrivals since the last time; they are the agent's from here on. */
  take(): readonly Arrival[];
  /** Hears what waits elsewhere and may be heard within a turn; gives what was written down. */
  readonly hear?: (() => Promise<readonly Stored[]>) | undefined;
  /** Resolves when something has arrived that cannot wait for the model to finish. */
  whenUrgent(signal: AbortSignal): Promise<void>;
}

export interface Arrival {
  readonly input: Input;
  /** Called once it stands in the journal: the moment to mark the message as read. */
  readonly acknowledge?: () => Promise<void>;
}
