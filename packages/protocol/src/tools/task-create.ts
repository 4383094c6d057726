import { z } from "zod";
import { defineToolBoundary } from "./boundary.ts";

/** The TaskCreate input. */
export const TaskCreateInput = z
  .looseObject({
    subject: z.string().describe("What is to be done, as an instruction: `Write the parser`."),
    description: z.string().describe("Details and what counts as done."),
    activeForm: z.string().optional().describe("What to show while the task is in progress: `Writing the parser`."),
    metadata: z.record(z.string(), z.unknown()).optional().describe("Anything; kept with the task."),
  })
  .meta({
    title: "TaskCreate input",
    description: "Adds a task to the team's list: pending, without an owner, waiting for nothing.",
    examples: [{ subject: "Write the parser", description: "All cases of the grammar, with tests" }],
  });
export type TaskCreateInput = z.infer<typeof TaskCreateInput>;

/** The TaskCreate tool. */
export const taskCreateTool = defineToolBoundary({
  name: "TaskCreate",
  aliases: [],
  input: { "2026-02": TaskCreateInput, "2026-11": TaskCreateInput },
  output: {},
});
