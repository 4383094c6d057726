import type { Revision } from "@troupe/protocol";

/** Switches of a product; one that is absent stands as in the reference client. */
export interface AgentGates {
  /** A person sits at it. */
  readonly isInteractive: boolean;
  /**
   * A session without a seat leads a team of its own from its first turn (2026-11); if it is not
   * said, where a person sits at it.
   */
  readonly hasOwnTeam?: boolean | undefined;
  /** An omitted type is a fork (2026-02). */
  readonly isForkEnabled: boolean;
  /** The main conversation only hands work on. */
  readonly isCoordinator: boolean;
  readonly isBackgroundDisabled: boolean;
  /** An agent that is waited for so long goes on in the background; absent, it is waited for. */
  readonly backgroundAfterMs?: number | undefined;
  /**
   * Nothing waits for an agent: an assistant that must stay reachable, or one that acts of its own
   * accord.
   */
  readonly isAlwaysBackground: boolean;
  /**
   * Agents in the background that a killed process left go on by themselves; else it is only told
   * that they were cut off.
   */
  readonly isRecovering: boolean;
  /** The person is asked for what a named agent may need before it begins in the background. */
  readonly isAskedBeforehand: boolean;
  /** A named agent that begins in the background has no tools of MCP servers. */
  readonly isMcpWithheld: boolean;
  readonly isCwdEnabled: boolean;
  /** A call that names a directory and a worktree works in the directory, instead of nowhere. */
  readonly isCwdStronger: boolean;
  readonly isRemoteEnabled: boolean;
  /** Every teammate that is added hands in a plan before it changes anything. */
  readonly areTeammatesPlanning?: boolean | undefined;
  /**
   * An agent with a memory that has done its work is asked, in a conversation beside its own, what
   * of it to remember.
   */
  readonly remembersAtEnd: boolean;
  /** How many agents work at the same time. */
  readonly maxRunning: number;
  /** How deep agents may start agents. */
  readonly maxDepth: number;
  /**
   * The mode of an agent whose definition names none; never more than its session's. `acceptEdits`
   * is the one exception: set, agents may accept edits, by this or their definitions, where the
   * session asks about them, and not where it only plans or asks nobody.
   */
  readonly agentMode: "default" | "acceptEdits" | "inherit";
}

/** The usual switches, those of the environment, and those asked for, each above the one before. */
export function gatesOf(
  revision: Revision,
  environment: Readonly<Record<string, string>>,
  asked: Partial<AgentGates> = {},
): AgentGates {
  const isOn = (name: string) => ["1", "true", "yes", "on"].includes((environment[name] ?? "").trim().toLowerCase());
  return {
    ...usualGates(revision),
    ...(isOn("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS") && { isBackgroundDisabled: true }),
    ...(isOn("CLAUDE_AUTO_BACKGROUND_TASKS") && { backgroundAfterMs: 120_000 }),
    ...(isOn("TROUPE_DISABLE_RECOVERY") && { isRecovering: false }),
    ...asked,
  };
}

export const usualGates = (revision: Revision): AgentGates => ({
  isInteractive: false,
  isForkEnabled: false,
  isCoordinator: false,
  isBackgroundDisabled: false,
  isAlwaysBackground: false,
  isRecovering: true,
  isAskedBeforehand: false,
  isMcpWithheld: false,
  isCwdEnabled: false,
  isCwdStronger: false,
  isRemoteEnabled: false,
  remembersAtEnd: false,
  maxRunning: 20,
  maxDepth: revision === "2026-02" ? 1 : 3,
  agentMode: revision === "2026-02" ? "default" : "inherit",
});
