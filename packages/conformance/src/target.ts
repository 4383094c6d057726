import type { Level, Revision } from "./requirement.ts";
import type { Sessions } from "./session/sessions.ts";

/** The target's declaration; it is bound by what it declares, and the rest is not applicable. */
export interface Declaration {
  readonly name: string;
  readonly version: string;
  readonly language?: string;
  readonly homepage?: string;
  readonly issues?: string;
  readonly revisions: readonly Revision[];
  /** A level claims all of its methods. */
  readonly levels: readonly Level[];
  /** Methods claimed besides those of the levels. */
  readonly methods: readonly string[];
  readonly features: Readonly<Record<string, boolean>>;
  readonly quirks: Quirks;
}

/** Allowed differences between implementations, as declared. */
export interface Quirks {
  /** How a lock is taken: `mkdir`, `file` (made exclusively), `flock`. */
  readonly lockStyle?: string;
  /** The path of a lock, with `<file>` for the document: `<file>.lock`. */
  readonly lockPath?: string;
  /** The age from which a lock counts as left behind. */
  readonly staleMs?: number;
  /** How long a call waits for a lock before it answers `locked`. */
  readonly waitMs?: number;
  /** The effect of completing on `blockedBy` of dependants: `remove` or `keep`. */
  readonly unblockStyle?: string;
  readonly [name: string]: unknown;
}

/** The errors an operation may end with; `unnamed` is an exit code the target file does not map. */
export type ErrorName = "notFound" | "conflict" | "blocked" | "invalid" | "locked" | "refused" | "absent" | "unnamed";

export const errorCodes: Readonly<Record<Exclude<ErrorName, "unnamed">, number>> = {
  notFound: 1001,
  conflict: 1002,
  blocked: 1003,
  invalid: 1004,
  locked: 1005,
  refused: 1006,
  absent: -32601,
};

export type Params = Readonly<Record<string, unknown>>;

/** How a call ended. `info`: the suite killed the process meanwhile, so the outcome is unknown. */
export type Reply =
  | { readonly outcome: "ok"; readonly result: Readonly<Record<string, unknown>> }
  | { readonly outcome: "fail"; readonly error: { readonly name: ErrorName; readonly message: string } }
  | { readonly outcome: "info" };

/** One call as the suite saw it, on its own monotonic clock in milliseconds. */
export interface CallRecord {
  readonly proc: number;
  readonly op: string;
  readonly args: Params;
  readonly call: number;
  /** Absent while the call runs, and for ever if the process was killed. */
  ret?: number;
  outcome: Reply["outcome"];
  reply?: unknown;
}

/**
 * One process of the target on a root. A fault of it (a crash, garbage, silence) rejects the call
 * with a `TargetFault`.
 */
export interface Proc {
  readonly index: number;
  /** The home it was started with, which a process that goes on to another check keeps. */
  readonly home: string;
  /** Undefined between two commands of a target in command mode. */
  pid(): number | undefined;
  call(method: string, params: Params): Promise<Reply>;
  /** SIGKILL; calls under way end as `info`. */
  kill(): Promise<void>;
  /** SIGSTOP. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
  /** Asks it to end, and waits until it has. */
  end(): Promise<void>;
  /**
   * The same process for another check; absent if it was killed, paused or ended, or has a pending
   * call.
   */
  rest?(): Resting | undefined;
}

/** A process that waits for its next check. */
export interface Resting {
  /** Points it to another root by `reset`; undefined where it does not answer that it has. */
  begin(options: ProcOptions): Promise<Proc | undefined>;
  kill(): Promise<void>;
}

export interface ProcOptions {
  readonly index: number;
  /** The directory that holds `teams/` and `tasks/`. */
  readonly root: string;
  readonly home: string;
  readonly revision: Revision;
  readonly seed: number;
  readonly caseId: string;
  readonly limitMs: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Called when a call begins, with a record that is completed when it ends. */
  readonly record: (call: CallRecord) => void;
}

/** The processes under test: an adapter, or the target's own commands. */
export interface Target {
  readonly kind: "adapter" | "command";
  /** For the header of the report. */
  readonly label: string;
  declare(options: ProcOptions): Promise<Declaration>;
  start(options: ProcOptions): Promise<Proc>;
  /** Absent for a target that names no command that starts a session. */
  readonly sessions?: Sessions;
}
