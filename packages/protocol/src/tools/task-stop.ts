import { z } from "zod";
import type { Problem } from "../problems.ts";
import { defineToolBoundary } from "./boundary.ts";

/** The TaskStop input. */
export const TaskStopInput = z
  .looseObject({
    task_id: z.string().optional().describe("The id of the background task."),
    shell_id: z.string().optional().describe("The old name of task_id, used if task_id is absent."),
  })
  .meta({
    title: "TaskStop input",
    description: "Stops a running background task; one of the two fields names it.",
    examples: [{ task_id: "a4b20af7c1d93e652" }],
  });
export type TaskStopInput = z.infer<typeof TaskStopInput>;

/** The TaskStop result. */
export const TaskStopOutput = z
  .looseObject({
    message: z.string().describe("What was done, in words."),
    task_id: z.string().describe("The id of the task that was stopped."),
    task_type: z.string().describe("What kind of task it was, such as `local_agent`."),
    command: z
      .string()
      .optional()
      .describe("What it was running: the command of a shell, the description of an agent."),
  })
  .meta({
    title: "TaskStop output",
    description: "The task that was stopped.",
    examples: [
      {
        message: "Stopped task a4b20af7c1d93e652",
        task_id: "a4b20af7c1d93e652",
        task_type: "local_agent",
        command: "review parser bug",
      },
    ],
  });
export type TaskStopOutput = z.infer<typeof TaskStopOutput>;

/** The TaskStop tool. */
export const taskStopTool = defineToolBoundary({
  name: "TaskStop",
  aliases: ["KillShell"],
  input: { "2026-02": TaskStopInput, "2026-11": TaskStopInput },
  output: { "2026-02": TaskStopOutput, "2026-11": TaskStopOutput },
});

/**
 * Which task a call means. No schema of two optional fields can ask for one of them, so this does.
 */
export function stopTargetOf({ task_id, shell_id }: TaskStopInput): { taskId?: string; problems: readonly Problem[] } {
  const taskId = task_id || shell_id;
  if (taskId) return { taskId, problems: [] };
  return {
    problems: [
      { path: "/task_id", code: "field_missing", message: "/task_id is missing", fix: "add /task_id, a string" },
    ],
  };
}
