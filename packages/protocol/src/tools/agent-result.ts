import { z } from "zod";
import { insideTags } from "../envelope.ts";
import type { Revision } from "../revisions/revision.ts";

const count = (what: string) => z.number().nonnegative().describe(what);

/** The agent ran to its end while the caller waited. */
export const AgentCompleted = z.looseObject({
  status: z.literal("completed").describe("The agent has finished; this is its report."),
  agentId: z.string().describe("The id for SendMessage, which can resume the agent."),
  agentType: z.string().optional().describe("The definition that ran."),
  content: z
    .array(
      z.looseObject({
        type: z.string().describe("The kind of block."),
        text: z.string().optional().describe("Its text."),
      }),
    )
    .describe("The report, as blocks of a message."),
  totalToolUseCount: count("How many tools it used."),
  totalDurationMs: count("How long it took, in milliseconds."),
  totalTokens: count("How many tokens it used."),
  usage: z.looseObject({}).optional().describe("The usage of the model as the API reported it."),
  resolvedModel: z.string().optional().describe("The model that ran."),
  modelsUsed: z.unknown().optional().describe("All models that ran; opaque."),
  toolStats: z.unknown().optional().describe("How often each tool was used; opaque."),
  worktreePath: z.string().optional().describe("The worktree that was kept because it has changes."),
  worktreeBranch: z.string().optional().describe("The branch of that worktree."),
  prompt: z.string().optional().describe("The task as it was given."),
});

/** The agent runs on; its report comes in a notification. */
export const AgentAsyncLaunched = z.looseObject({
  status: z.literal("async_launched").describe("The agent runs in the background."),
  agentId: z.string().describe("The id for SendMessage and TaskStop."),
  description: z.string().describe("The task in a few words."),
  prompt: z.string().describe("The task as it was given."),
  outputFile: z.string().describe("Absolute path of the file that shows the agent's progress."),
  canReadOutputFile: z.boolean().optional().describe("False if the caller has no tool that can read that file."),
  resolvedModel: z.string().optional().describe("The model that runs."),
});

/** The agent became a member of a team. */
export const AgentTeammateSpawned = z.looseObject({
  status: z.literal("teammate_spawned").describe("The agent is a teammate and works on its own."),
  teammate_id: z
    .string()
    .describe("`<name>@<team>`; in 2026-11 `a<name>-<16 hex digits>` for one in the same process."),
  name: z.string().describe("The name to use with SendMessage."),
  team_name: z.string().describe("The team it joined."),
});

/** The agent runs on another machine. */
export const AgentRemoteLaunched = z.looseObject({
  status: z.literal("remote_launched").describe("The agent runs on another machine."),
  taskId: z.string().describe("The id of the remote task."),
  sessionUrl: z.string().describe("Where to watch it."),
  description: z.string().describe("The task in a few words."),
  prompt: z.string().optional().describe("The task as it was given."),
  outputFile: z.string().describe("Absolute path of the file its output is written to."),
});

/** The result of an Agent call. It never changes: later news comes in notifications. */
export const AgentResult = z
  .discriminatedUnion("status", [AgentCompleted, AgentAsyncLaunched, AgentTeammateSpawned, AgentRemoteLaunched])
  .meta({
    title: "Agent result",
    description: "The result of an Agent call; `status` tells the kinds apart.",
    examples: [
      {
        status: "completed",
        agentId: "a4b20af7c1d93e652",
        content: [{ type: "text", text: "No correctness risks found." }],
        totalToolUseCount: 7,
        totalDurationMs: 41250,
        totalTokens: 18234,
      },
    ],
  });
export type AgentResult = z.infer<typeof AgentResult>;

/** Renders a result as text. */
export interface AgentResultView {
  readonly revision: Revision;
  /** The agent cannot be continued, so nothing that serves only to continue it is said. */
  readonly isOneShot?: boolean;
}

/** The text the model sees for a result. */
export function agentResultText(result: AgentResult, { revision, isOneShot = false }: AgentResultView): string {
  switch (result.status) {
    case "completed":
      return completedText(result, isOneShot);
    case "async_launched":
      return lines(
        "The agent works in the background.",
        `agentId: ${result.agentId}`,
        `output_file: ${result.outputFile}`,
        result.canReadOutputFile === false
          ? "Its result comes in a notification: wait for it."
          : "Its result comes in a notification: wait for it, or read the output file to see how far it is.",
      );
    case "teammate_spawned":
      return lines(
        `agent_id: ${result.teammate_id}`,
        `name: ${result.name}`,
        revision === "2026-02" && `team_name: ${result.team_name}`,
        `The teammate has joined the team. It has a mailbox: reach it by SendMessage to "${result.name}".`,
      );
    case "remote_launched":
      return lines(
        "The agent works on another machine.",
        `taskId: ${result.taskId}`,
        `session_url: ${result.sessionUrl}`,
        `output_file: ${result.outputFile}`,
        "Its result comes in the notification of the remote task: wait for it.",
      );
  }
}

function completedText(result: z.infer<typeof AgentCompleted>, isOneShot: boolean): string {
  const report = result.content.flatMap(({ text }) => (text ? [text] : [])).join("\n");
  return lines(
    insideTags(report) || "(The agent ended without a report.)",
    result.worktreePath !== undefined && `worktreePath: ${result.worktreePath}`,
    result.worktreeBranch !== undefined && `worktreeBranch: ${result.worktreeBranch}`,
    !isOneShot && `agentId: ${result.agentId} (to continue, use SendMessage to "${result.agentId}")`,
    !isOneShot &&
      `<usage>subagent_tokens: ${result.totalTokens}\ntool_uses: ${result.totalToolUseCount}\nduration_ms: ${result.totalDurationMs}</usage>`,
  );
}

const lines = (...parts: (string | false)[]): string => parts.filter((part) => part !== false).join("\n");
