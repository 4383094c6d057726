import { z } from "zod";

const flag = z.boolean().optional();
const text = z.string().optional();

/** The metadata beside a subagent's transcript, in `agent-<id>.meta.json`. */
export const SubagentMeta = z
  .looseObject({
    agentType: z.string().describe("The agent's type; for a teammate its name."),
    isBuiltIn: flag.describe("True when the type comes with the client."),
    isFork: flag.describe("True for a copy of its parent's conversation."),
    launchedWithDefaults: flag.describe("True when the call named no type."),
    worktreePath: text.describe("The worktree it works in."),
    spawnedWithWorktree: flag.describe("True when the call asked for a worktree."),
    worktreeBranch: text.describe("The worktree's branch."),
    worktreeCleanlyRemoved: flag.describe("True once an unchanged worktree was removed."),
    description: text.describe("Its task, in a few words."),
    name: text.describe("The name it can be addressed by."),
    toolUseId: text.describe("The call that started it."),
    spawnDepth: z
      .int()
      .nonnegative()
      .optional()
      .describe("The number of agents above it; 0 for an agent of the main conversation."),
    requestShape: text.describe("How it was started, such as `background`."),
    requestNonInteractive: flag.describe("True if it cannot ask the user for permission."),
    model: text.describe("The model as asked for; an alias stays an alias."),
    pickedEffortModel: text.describe("The model its effort was chosen for."),
    finished: z.unknown().optional().describe("Present once it has ended."),
    taskKind: text.describe("`in_process_teammate` for a teammate."),
    teamName: text.describe("The teammate's team."),
    color: text.describe("The teammate's colour."),
    planModeRequired: flag.describe("True when the teammate must have a plan approved first."),
    spawnedAgentType: text.describe("The agent type of the teammate."),
    permissionMode: text.describe("The permission mode the teammate started in."),
  })
  .meta({
    title: "Subagent metadata",
    description: "The metadata beside a subagent's transcript, in `agent-<id>.meta.json`.",
    examples: [
      {
        agentType: "code-reviewer",
        isBuiltIn: false,
        description: "review parser",
        toolUseId: "toolu_01ABC",
        spawnDepth: 1,
      },
    ],
  });
export type SubagentMeta = z.infer<typeof SubagentMeta>;
