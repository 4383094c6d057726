import { allowsTool, type Revision } from "@troupe/protocol";
import type { Bound } from "../agent/bound.ts";
import type { Tool } from "../loop/tool.ts";

export interface PoolDeps<Agent> {
  /** All there is: the built-in tools, those of the caller's servers and of the agent's own. */
  readonly tools: readonly Tool<Agent>[];
  readonly revision: Revision;
  /** It may start agents itself. */
  readonly maySpawn: boolean;
}

/** The tools of the conversation with the person; 2026-02 takes away only the Agent tool. */
const ofTheMainConversation = new Set([
  ...["AskUserQuestion", "EndConversation", "EnterPlanMode", "ExitPlanMode", "ScheduleWakeup", "TaskOutput"],
  ...["TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "WaitForMcpServers", "Workflow"],
]);

/** The built-in tools that are left in the background (2026-11). */
const inBackground = new Set([
  ...["Agent", "Bash", "Edit", "EnterWorktree", "ExitWorktree", "Glob", "Grep", "Monitor", "NotebookEdit", "Read"],
  ...["SendMessage", "Skill", "TaskStop", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Write"],
]);

/** An agent that keeps a memory must be able to read and write it. */
const forMemory = new Set(["Read", "Write", "Edit"]);

/**
 * The tools of an agent: put together anew from all there are, and not what its caller happens to
 * have left. Its own definition and those of the agents above it each take away, since an agent
 * starts none that may use what it may not; a fork has its caller's.
 */
export function toolPool<Agent>(
  bounds: readonly Bound[],
  { tools, revision, maySpawn }: PoolDeps<Agent>,
): readonly Tool<Agent>[] {
  return tools.filter(({ definition: { name } }) => {
    if (name === "Agent" && !maySpawn) return false;
    return isLeft(name, bounds, revision);
  });
}

/** Whether a tool is left where all of these bounds hold. */
export const isLeft = (name: string, bounds: readonly Bound[], revision: Revision): boolean =>
  bounds.every((bound) => leaves(bound, name, revision));

function leaves({ tools, disallowedTools, memory, isBackground }: Bound, name: string, revision: Revision) {
  if (revision === "2026-11" && !name.startsWith("mcp__")) {
    if (ofTheMainConversation.has(name)) return false;
    if (isBackground && !inBackground.has(name)) return false;
  }
  return (memory !== undefined && forMemory.has(name)) || allowsTool({ tools, disallowedTools }, name);
}
