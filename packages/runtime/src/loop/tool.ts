import type { ZodType } from "zod";
import type { Block } from "../model/model.ts";

/** What a model can do besides talking. */
export interface Tool {
  readonly definition: { readonly name: string; readonly description: string; readonly input_schema: object };
  /** May it run again when a crash left no result? Only where doing it twice is doing it once. */
  readonly isReplayable: boolean;
  /** What it takes, checked before anybody is asked about a call; a tool of another program checks for itself. */
  readonly input?: ZodType;
  /** What a call reaches, for whoever judges it; of a tool that does not say, only the name can be judged. */
  reaches?(input: unknown): readonly Reach[];
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

/** Something outside the conversation; paths are absolute. */
export type Reach =
  | { readonly kind: "read" | "write"; readonly path: string }
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "url"; readonly url: string };

/** A call that is about to run. */
export interface PendingCall {
  readonly id: string;
  readonly tool: Tool;
  readonly input: unknown;
}

/** Hooks and permissions, as the loop knows them. */
export interface Judge {
  /** Asked for one call after the other, in their order, so that two questions to a person never mix; the input may come back changed. */
  before(call: PendingCall, signal: AbortSignal): Promise<Judgement>;
  /** What the model is told of the result. */
  after(call: PendingCall, outcome: ToolOutcome, signal: AbortSignal): Promise<ToolOutcome>;
}

export type Judgement =
  | { readonly runs: true; readonly input: unknown }
  | { readonly runs: false; readonly message: string };
