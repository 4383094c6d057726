import type { Evidence } from "./fault.ts";
import type { Level, Revision } from "./requirement.ts";
import type { RunningSession, SessionPlace, SessionRole } from "./session/sessions.ts";
import type { CallRecord, Declaration, Params, Proc, Reply } from "./target.ts";

/**
 * warn: a SHOULD is missed. na: not declared, or not of this revision. untestable: declared, but
 * out of the suite's reach. error: the suite's own fault.
 */
export const verdicts = ["pass", "fail", "warn", "na", "untestable", "error"] as const;
export type Verdict = (typeof verdicts)[number];

/** What a team is made of before a check begins; many programs work only in teams of others. */
export type SceneMethod = "team.create" | "member.add";

/**
 * One test of a target. Its clauses share one obligation, so a miss is `fail` or `warn` as a whole.
 */
export interface Check {
  /** Permanent: `TSK-DEP-03/a`. */
  readonly id: string;
  /** A sentence that is true of a conforming target. */
  readonly title: string;
  readonly requirements: readonly string[];
  /** The level of the methods it needs; a clause of L0 may be checked again at L1 by doing. */
  readonly level: Level;
  readonly revisions: readonly Revision[];
  readonly needs: {
    readonly methods: readonly string[];
    /** They only set the scene: for a target without them the suite writes the team itself. */
    readonly scene?: readonly SceneMethod[];
    readonly features?: readonly string[];
    /** The session that the target has a command for. */
    readonly session?: SessionRole;
  };
  /** The full form alone runs it. */
  readonly isSlow?: boolean;
  /**
   * Returns if the target conforms, else throws `checkFailure`. Its result is added to the
   * evidence.
   */
  run(context: CheckContext): Promise<Evidence | undefined>;
}

/** What a check gets: a fresh root, processes of the target on it, and a seeded random source. */
export interface CheckContext {
  readonly revision: Revision;
  readonly declaration: Declaration;
  /** The directory that holds `teams/` and `tasks/`; empty at first. */
  readonly root: string;
  /** A directory for whatever else a check writes. */
  readonly scratch: string;
  /** The home of the first process. */
  home(): Promise<string>;
  readonly seed: number;
  /** In [0, 1), from the seed alone. */
  random(): number;
  /** A time limit or pause made for a quiet machine, scaled to this one. */
  scaled(ms: number): number;
  /** The quick form of the suite wants smaller numbers. */
  readonly isQuick: boolean;
  /** Further processes on the same root; they end with the check. */
  start(count: number, env?: Readonly<Record<string, string>>): Promise<readonly Proc[]>;
  /** A call of the check's first process. */
  call(method: string, params: Params): Promise<Reply>;
  /** The same, for what must succeed: anything else ends the check as a failure. */
  ok(method: string, params: Params, proc?: Proc): Promise<Readonly<Record<string, unknown>>>;
  /** The home of the sessions of a check. */
  readonly sessionHome: string;
  /**
   * A session that the target's own command starts; it ends with the check. Fails the check where
   * the target names no such command.
   */
  startSession(role: SessionRole, place: SessionPlace): RunningSession;
  /** Ends the first process; the next call starts another. */
  restart(): Promise<void>;
  /** Every call so far, of all processes, in the order they began. */
  readonly history: readonly CallRecord[];
}
