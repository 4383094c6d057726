import type { PermissionMode } from "@troupe/protocol";

/** A call of the Agent tool, as far as it decides what runs. */
export interface AgentCall {
  readonly subagent_type?: string | undefined;
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  readonly run_in_background?: boolean | undefined;
  readonly name?: string | undefined;
  readonly team_name?: string | undefined;
  /** Of a teammate: what it asks to work in. */
  readonly mode?: PermissionMode | undefined;
  readonly isolation?: "worktree" | "remote" | undefined;
  readonly cwd?: string | undefined;
}

/** A task for an agent. */
export interface Task extends AgentCall {
  readonly description: string;
  readonly prompt: string;
}
