import { z } from "zod";
import type { Problem } from "./problems.ts";
import type { Revision } from "./revisions/revision.ts";

/** The final states of a background agent, as its notification spells them. */
export const NotificationStatus = z.enum(["completed", "failed", "killed"]);
export type NotificationStatus = z.infer<typeof NotificationStatus>;

/** The spelling of SDK events, which say `stopped` where the notification says `killed`. */
export const sdkStatusOf = (status: NotificationStatus): "completed" | "failed" | "stopped" =>
  status === "killed" ? "stopped" : status;

const count = z.int().nonnegative();

/** The usage of an agent, over all its runs. */
export const NotificationUsage = z
  .looseObject({
    subagentTokens: count.optional().describe("Tokens; `subagent_tokens` on the wire, `total_tokens` in 2026-02."),
    toolUses: count.optional().describe("Tool calls; `tool_uses` on the wire."),
    durationMs: count.optional().describe("Milliseconds; `duration_ms` on the wire."),
  })
  .meta({ title: "Notification usage", description: "The agent's usage, summed over its runs." });
export type NotificationUsage = z.infer<typeof NotificationUsage>;

/** Tells the model that background work ended; rendered as text by `renderTaskNotification`. */
export const TaskNotification = z
  .looseObject({
    taskId: z.string().describe("`<task-id>`: the agent's run id, or the id of a background shell."),
    toolUseId: z.string().optional().describe("`<tool-use-id>`: the call that started it; absent on a resumed run."),
    outputFile: z.string().optional().describe("`<output-file>`: where the whole output can be read."),
    status: z.string().optional().describe("`<status>`: completed, failed or killed; absent while the work goes on."),
    summary: z.string().describe('`<summary>`: one line, as in `Agent "review parser" completed`.'),
    note: z.string().optional().describe("`<note>`: a remark of the runtime on how to read this."),
    result: z.string().optional().describe("`<result>`: the agent's last text, or its error."),
    usage: NotificationUsage.optional().describe("`<usage>`: tokens, tool calls and time it used."),
    worktree: z
      .looseObject({
        worktreePath: z.string().describe("The directory that was kept."),
        worktreeBranch: z.string().optional().describe("Its branch."),
      })
      .optional()
      .describe("`<worktree>`: the worktree the agent leaves behind because it holds changes."),
    further: z
      .array(
        z.looseObject({
          name: z.string().describe("The name of the tag."),
          text: z.string().describe("The text between its tags."),
        }),
      )
      .optional()
      .describe("Children this version does not know, in the order found."),
  })
  .meta({
    title: "Task notification",
    description: "A background agent ended. Written as `<task-notification>` with one child element per field.",
    examples: [
      {
        taskId: "a4b20af6e91c3d7f0",
        toolUseId: "toolu_01ABC",
        outputFile: "/tmp/claude-1000/-home-dev-project/tasks/a4b20af6e91c3d7f0.output",
        status: "completed",
        summary: 'Agent "review parser" completed',
        result: "Two risks, both in the tokenizer.",
        usage: { subagentTokens: 10782, toolUses: 4, durationMs: 35130 },
      },
    ],
  });
export type TaskNotification = z.infer<typeof TaskNotification>;

/** The summary of an agent's end. It is one line whatever the description holds. */
export const notificationSummary = (description: string, status: string): string =>
  `Agent "${description.replace(/\s+/g, " ").trim()}" ${status}`;

/** What a writer of this revision must add when `notification` announces the end of an agent. */
export function notificationProblems(notification: TaskNotification, revision: Revision): Problem[] {
  const { status, summary } = notification;
  const required = ["toolUseId", "outputFile", "result", "usage"] as const;
  const isWhole = revision === "2026-02" && status === "completed";
  const missing: string[] = isWhole ? required.filter((field) => notification[field] === undefined) : [];
  if (status === undefined) missing.push("status");
  const problems = missing.map((field): Problem => {
    const path = `/${field}`;
    return { path, code: "field_missing", message: `${path} is missing`, fix: `add ${path}` };
  });
  if (status !== undefined && !NotificationStatus.safeParse(status).success) {
    problems.push(invalid("/status", "is none of completed, failed and killed", "use one of the three"));
  }
  if (isWhole && !/^Agent ".*" completed$/.test(summary)) {
    problems.push(invalid("/summary", 'does not read `Agent "…" completed`', "make it with notificationSummary"));
  }
  return problems;
}

const invalid = (path: string, message: string, fix: string): Problem => ({
  path,
  code: "field_invalid",
  message: `${path} ${message}`,
  fix,
});
