import { z } from "zod";
import { TaskStatus } from "../task.ts";
import { defineToolBoundary } from "./boundary.ts";

/** The TaskUpdate input. */
export const TaskUpdateInput = z
  .looseObject({
    taskId: z.string().describe("The id of the task: decimal digits."),
    subject: z.string().optional().describe("A new subject."),
    description: z.string().optional().describe("A new description."),
    activeForm: z.string().optional().describe("A new text to show while the task is in progress."),
    status: TaskStatus.optional().describe("The new status; `deleted` removes the task permanently."),
    addBlocks: z.array(z.string()).optional().describe("Ids of tasks that must wait for this one."),
    addBlockedBy: z.array(z.string()).optional().describe("Ids of tasks this one must wait for."),
    owner: z.string().optional().describe("The bare name of the new owner, who is notified with a task_assignment."),
    metadata: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Merged key by key into the existing metadata; null removes a key."),
  })
  .meta({
    title: "TaskUpdate input",
    description: "Changes only the given fields of a task.",
    examples: [{ taskId: "1", status: "in_progress", owner: "alice" }],
  });
export type TaskUpdateInput = z.infer<typeof TaskUpdateInput>;

/** The TaskUpdate tool. */
export const taskUpdateTool = defineToolBoundary({
  name: "TaskUpdate",
  aliases: [],
  input: { "2026-02": TaskUpdateInput, "2026-11": TaskUpdateInput },
  output: {},
});
