import type { Block } from "../model/model.ts";

/**
 * Something a model can do besides talking. `Agent` is the part it must know of the agent that
 * calls it; a tool that asks for nothing serves any.
 */
export interface Tool<Agent = unknown> {
  readonly definition: { readonly name: string; readonly description: string; readonly input_schema: object };
  /** May it run again when a crash left no result? Only where doing it twice is doing it once. */
  readonly isReplayable: boolean;
  /**
   * It says of itself that it changes nothing; in plan mode no other tool runs whose reach is not
   * known.
   */
  readonly isReadOnly?: boolean;
  /**
   * The fault of an input, found before anybody is asked about the call; a tool without this takes
   * any.
   */
  faultOf?(input: unknown): string | undefined;
  /**
   * The reach of a call by an agent that works in `cwd`, for the permissions; of a tool that does
   * not say, only the name can be judged.
   */
  reaches?(input: unknown, cwd: string): readonly Reach[];
  /** May it run beside its neighbours? */
  isConcurrent(input: unknown): boolean;
  /** A tool that throws is a failed call, not a failed turn. It ends soon after the signal does. */
  readonly run: (input: unknown, context: ToolContext<Agent>) => Promise<ToolOutcome>;
}

export interface ToolContext<Agent = unknown> {
  readonly call: string;
  /** The agent that calls. */
  readonly agent: Agent;
  /** The line of its transcript with the answer that makes the call; a person's call has none. */
  readonly answer?: string | undefined;
  /** The conversation began as a fork of another. */
  readonly isFork?: boolean | undefined;
  readonly signal: AbortSignal;
  /**
   * The bounds of a command that passed because it seemed harmless, and not because a rule allows
   * it.
   */
  readonly bounds?: Bounds | undefined;
}

/** The directories that a command may change; it reads what it likes, and has no network. */
export interface Bounds {
  readonly writable: readonly string[];
}

export interface ToolOutcome {
  readonly content: readonly Block[];
  readonly isError?: boolean;
  readonly tells?: Telling | undefined;
}

/** The end of an agent, as something tells of it that is about to stand in a journal. */
export interface Telling {
  readonly end: string;
  /** Called once it stands there, and need not be told again. */
  kept(): void;
}

/** Something outside the conversation; paths are absolute. */
export type Reach =
  | { readonly kind: "read" | "write"; readonly path: string }
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "url"; readonly url: string };

/** A call that is about to run. */
export interface PendingCall<Agent = never> {
  readonly id: string;
  readonly tool: Tool<Agent>;
  readonly input: unknown;
  readonly bounds?: Bounds | undefined;
  /** Notes from before it ran; the model reads them with the result. */
  readonly notes?: readonly string[] | undefined;
}

/** Hooks and permissions, as the loop knows them. */
export interface Judge {
  /**
   * Asked for one call after the other, in their order, so that two questions to a person never
   * mix; the input may come back changed.
   */
  before(call: PendingCall, signal: AbortSignal): Promise<Judgement>;
  /** The remark for the model behind every result, at this moment. */
  readonly remark?: (() => string | undefined) | undefined;
  /** The result as the model is told it; as it is, without this. */
  readonly after?: ((call: PendingCall, outcome: ToolOutcome, signal: AbortSignal) => Promise<ToolOutcome>) | undefined;
}

export type Judgement =
  | ({ readonly runs: true } & Pick<PendingCall, "input" | "bounds" | "notes">)
  | { readonly runs: false; readonly message: string };
