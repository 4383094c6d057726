import type { PermissionMode, Revision } from "@troupe/protocol";

/** A team, and none that has had or will have its name. */
export interface TeamRef {
  readonly team: string;
  /** As its config says it, in milliseconds; 0 where that says nothing. */
  readonly teamCreatedAt: number;
}

/** What a teammate is started with. */
export interface TeammateSpec extends TeamRef {
  readonly name: string;
  /** The time of its roster entry, which tells it from a later member of its name. */
  readonly joinedAt?: number | undefined;
  readonly revision: Revision;
  readonly leadSessionId: string;
  readonly agentType: string;
  readonly model: string;
  /** The whole first instruction. */
  readonly prompt: string;
  readonly mode: PermissionMode;
  readonly planModeRequired: boolean;
  readonly cwd: string;
  readonly worktree?: string | undefined;
  /** What its definition leaves it of the built-in tools; it grants none. */
  readonly tools?: readonly string[] | undefined;
  /** What its definition takes from it: names, or rules. */
  readonly disallowedTools?: readonly string[] | undefined;
  readonly environment: Readonly<Record<string, string>>;
}

/** Where a teammate runs. */
export interface Spawned {
  /** The name of the backend. */
  readonly backend: string;
  readonly team: string;
  readonly name: string;
  /** Both numbers, so that a process id that was given again is nobody's. */
  readonly process?: { readonly pid: number; readonly startedAt: string } | undefined;
  readonly pane?: string | undefined;
  readonly session?: string | undefined;
  /** By which other machines were asked for it. */
  readonly request?: string | undefined;
  /** The command that shows it to a person, where that is not on the screen already. */
  readonly attach?: string | undefined;
}

/** What is seen of a teammate from outside. */
export type Observation =
  | { readonly kind: "ready" | "working" | "idle" | "needs_input" }
  /** Nothing is heard of what it runs on; and that is heard of again, or it runs elsewhere now. */
  | { readonly kind: "away" | "back"; readonly detail: string }
  | {
      readonly kind: "ended";
      readonly reason: "shutdown" | "exit" | "killed" | "lost";
      readonly detail: string;
      /** What it leaves, in words for its lead's model. */
      readonly result?: string | undefined;
    };

/** Starts, watches and ends teammates. */
export interface Backend {
  /** As `backendType` of a roster entry says it: `tmux`, `in-process`. */
  readonly name: string;
  /** It tells a teammate its prompt when it starts it; else the prompt is the first of its mail. */
  readonly tellsPrompt?: true | undefined;
  /** What it starts has files of its own: no worktree is made for it here. */
  readonly isElsewhere?: true | undefined;
  /**
   * Ready when it resolves, nothing left when it rejects; the colour is that of the roster entry.
   */
  spawn(spec: TeammateSpec & { readonly color: string | undefined }, signal: AbortSignal): Promise<Spawned>;
  /** Ends with the end of the teammate, or with the signal. */
  observe(one: Spawned, signal: AbortSignal): AsyncIterable<Observation>;
  /**
   * Nothing of it runs any more when it resolves, which was looked at; what has ended already is no
   * error.
   */
  stop(one: Spawned, graceMs: number): Promise<void>;
  /** What runs. */
  list(team: TeamRef): Promise<readonly Spawned[]>;
  /**
   * After a crash of the lead that started them: what runs on is taken over, what has no member
   * or was started for an earlier team of this name is ended. What another lead has that is alive
   * is left alone.
   */
  recover(
    team: TeamRef,
    members: ReadonlySet<string>,
  ): Promise<{ readonly adopted: readonly Spawned[]; readonly removed: readonly Spawned[] }>;
}
