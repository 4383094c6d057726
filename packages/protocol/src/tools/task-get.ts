import { z } from "zod";
import { documentSchemas } from "../revisions/published.ts";
import { defineToolBoundary } from "./boundary.ts";

/** The TaskGet input. */
export const TaskGetInput = z.looseObject({ taskId: z.string().describe("The id of the task: decimal digits.") }).meta({
  title: "TaskGet input",
  description: "Returns the whole document of one task.",
  examples: [{ taskId: "1" }],
});
export type TaskGetInput = z.infer<typeof TaskGetInput>;

/** The TaskGet tool. */
export const taskGetTool = defineToolBoundary({
  name: "TaskGet",
  aliases: [],
  input: { "2026-02": TaskGetInput, "2026-11": TaskGetInput },
  output: { "2026-02": documentSchemas["2026-02"].task, "2026-11": documentSchemas["2026-11"].task },
});

/** The text for the model if the task does not exist or its file is unusable. */
export const taskNotFoundText = "Task not found";
