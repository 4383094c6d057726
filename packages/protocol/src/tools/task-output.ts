import { z } from "zod";
import { defineToolBoundary } from "./boundary.ts";

/** The TaskOutput input. */
export const TaskOutputInput = z
  .looseObject({
    task_id: z.string().describe("The id of the background task."),
    block: z.boolean().default(true).describe("Wait until the task has ended; false returns what is there now."),
    timeout: z.number().min(0).max(600_000).default(30_000).describe("How long to wait at most, in milliseconds."),
  })
  .meta({
    title: "TaskOutput input",
    description: "Reads the state and the output of a background task; reading its output file is preferred.",
    examples: [{ task_id: "a4b20af7c1d93e652", block: true, timeout: 30_000 }],
  });
export type TaskOutputInput = z.infer<typeof TaskOutputInput>;

/** The TaskOutput tool, which revision 2026-11 does not have. */
export const taskOutputTool = defineToolBoundary({
  name: "TaskOutput",
  aliases: [],
  input: { "2026-02": TaskOutputInput },
  output: {},
});
