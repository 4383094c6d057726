import { z } from "zod";
import { TaskStatus } from "../task.ts";
import { defineToolBoundary } from "./boundary.ts";

/** What a call of TaskUpdate may say. */
export const TaskUpdateInput = z
  .looseObject({
    taskId: z.string().describe("The id of the task: decimal digits."),
    subject: z.string().optional().describe("A new subject."),
    description: z.string().optional().describe("A new description."),
    activeForm: z.string().optional().describe("A new text to show while it is worked on."),
    status: TaskStatus.optional().describe("The new state; `deleted` removes the task for good."),
    addBlocks: z.array(z.string()).optional().describe("Ids of tasks that shall wait for this one."),
    addBlockedBy: z.array(z.string()).optional().describe("Ids of tasks this one shall wait for."),
    owner: z
      .string()
      .optional()
      .describe("The bare name of the member that shall have it; told to it by a task_assignment."),
    metadata: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Merged key by key into what is there; null removes a key."),
  })
  .meta({
    title: "TaskUpdate input",
    description: "Changes the fields of a task that are named, and no others.",
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
