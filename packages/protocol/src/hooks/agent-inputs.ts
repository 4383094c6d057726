import { z } from "zod";
import { hookInput } from "./input-common.ts";

const agent = {
  agent_id: z.string().describe("The id of the agent's run."),
  agent_type: z.string().describe("The agent's type; matchers are compared with it."),
};
const agentExample = { agent_id: "a4b20af6e91c3d7f0", agent_type: "code-reviewer" };

const stop = {
  stop_hook_active: z
    .boolean()
    .describe("True if a hook has already kept the agent from stopping; let it stop then, or it never ends."),
  last_assistant_message: z.string().optional().describe("The last text of the model."),
  background_tasks: z
    .array(
      z.looseObject({
        id: z.string().describe("Its id."),
        type: z.string().optional().describe("What it is."),
        status: z.string().optional().describe("Its status."),
      }),
    )
    .optional()
    .describe("Background tasks of the session that are still running."),
  session_crons: z.array(z.unknown()).optional().describe("What the session has scheduled."),
};

/** A subagent is about to work. */
export const SubagentStartInput = hookInput(
  "SubagentStart",
  "Fires before a subagent's first request; it can add to what the agent is told, and cannot prevent it.",
  agent,
  agentExample,
);

/** A subagent is about to stop. */
export const SubagentStopInput = hookInput(
  "SubagentStop",
  "Fires when a subagent is about to stop; it can make it go on.",
  {
    ...agent,
    agent_transcript_path: z.string().describe("The subagent's own transcript."),
    ...stop,
  },
  {
    ...agentExample,
    agent_transcript_path:
      "/home/dev/.claude/projects/-home-dev-project/5833f1a8/subagents/agent-a4b20af6e91c3d7f0.jsonl",
    stop_hook_active: false,
    last_assistant_message: "Two risks, both in the tokenizer.",
  },
);

/** The main conversation is about to stop. */
export const StopInput = hookInput(
  "Stop",
  "Fires when the main conversation is about to stop, never for a subagent; it can make it go on.",
  stop,
  { stop_hook_active: false },
);

const teammate_name = z.string().describe("The bare name of the teammate.");
const team_name = z.string().optional().describe("The team.");

/** A teammate has nothing left to do. */
export const TeammateIdleInput = hookInput(
  "TeammateIdle",
  "Fires when a teammate has finished its turn; it can keep it working.",
  { teammate_name, team_name },
  { teammate_name: "alice", team_name: "analysis-team" },
);

const task = {
  task_id: z.string().describe("The task's id."),
  task_subject: z.string().describe("What is to be done."),
  task_description: z.string().optional().describe("The details."),
  teammate_name: teammate_name.optional(),
  team_name,
};
const taskExample = {
  task_id: "1",
  task_subject: "Write the parser",
  teammate_name: "alice",
  team_name: "analysis-team",
};

/** A task is being created. */
export const TaskCreatedInput = hookInput(
  "TaskCreated",
  "Fires when a task is put on the list; it can refuse it, which deletes the task.",
  task,
  taskExample,
);

/** A task is being completed. */
export const TaskCompletedInput = hookInput(
  "TaskCompleted",
  "Fires when a task is marked completed, and when a teammate ends its turn with the task in progress; it can keep it open.",
  task,
  taskExample,
);

/** A worktree is wanted. */
export const WorktreeCreateInput = hookInput(
  "WorktreeCreate",
  "Fires in place of `git worktree add`; the last line the hook prints is the path of the directory it made.",
  { name: z.string().describe("The name for the worktree.") },
  { name: "agent-a4b20af6e91c3d7f0" },
);

/** A worktree is no longer wanted. */
export const WorktreeRemoveInput = hookInput(
  "WorktreeRemove",
  "Fires when a worktree is about to be removed; it cannot prevent that.",
  { worktree_path: z.string().describe("The directory.") },
  { worktree_path: "/home/dev/project/.claude/worktrees/agent-a4b20af6e91c3d7f0" },
);
