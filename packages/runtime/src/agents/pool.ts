import { allowsTool, type Revision } from "@troupe/protocol";
import type { Tool } from "../loop/tool.ts";
import type { KnownAgent } from "./definitions.ts";

export interface PoolDeps {
  /** All there is: the built-in tools, those of the caller's servers and of the agent's own. */
  readonly tools: readonly Tool[];
  readonly revision: Revision;
  readonly isBackground: boolean;
  /** It may start agents itself. */
  readonly maySpawn: boolean;
}

/** What belongs to the conversation with the person; 2026-02 takes nothing away but the Agent tool. */
const ofTheMainConversation = new Set([
  ...["AskUserQuestion", "EndConversation", "EnterPlanMode", "ExitPlanMode", "ScheduleWakeup", "TaskOutput"],
  ...["TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "WaitForMcpServers", "Workflow"],
]);

/** What is left of the built-in tools in the background (2026-11). */
const inBackground = new Set([
  ...["Agent", "Bash", "Edit", "EnterWorktree", "ExitWorktree", "Glob", "Grep", "Monitor", "NotebookEdit", "Read"],
  ...["SendMessage", "Skill", "TaskStop", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Write"],
]);

/** An agent that keeps a memory must be able to read and write it. */
const forMemory = new Set(["Read", "Write", "Edit"]);

/**
 * The tools of a named agent: put together anew from all there are, by its own definition, and not what its caller happens to have left.
 * A fork has its caller's tools as they are and needs none of this.
 */
export function toolPool(
  { tools: wanted, disallowedTools, memory }: Pick<KnownAgent, "tools" | "disallowedTools" | "memory">,
  { tools, revision, isBackground, maySpawn }: PoolDeps,
): readonly Tool[] {
  return tools.filter(({ definition: { name } }) => {
    if (name === "Agent" && !maySpawn) return false;
    if (revision === "2026-11" && !name.startsWith("mcp__")) {
      if (ofTheMainConversation.has(name)) return false;
      if (isBackground && !inBackground.has(name)) return false;
    }
    return (memory !== undefined && forMemory.has(name)) || allowsTool({ tools: wanted, disallowedTools }, name);
  });
}
