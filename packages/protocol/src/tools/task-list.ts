import { z } from "zod";
import { TaskStatus } from "../task.ts";
import { defineToolBoundary } from "./boundary.ts";

/** A call of TaskList says nothing. */
export const TaskListInput = z.looseObject({}).meta({
  title: "TaskList input",
  description: "Lists the team's tasks that are not deleted, in the order of their ids.",
  examples: [{}],
});
export type TaskListInput = z.infer<typeof TaskListInput>;

/** The TaskList result. */
export const TaskListOutput = z
  .looseObject({
    tasks: z
      .array(
        z.looseObject({
          id: z.string().describe("The id of the task."),
          subject: z.string().describe("What is to be done."),
          status: TaskStatus.describe("The status of the task."),
          owner: z.string().optional().describe("The owner; absent without one."),
          blockedBy: z.array(z.string()).describe("Ids of the unfinished tasks it waits for."),
        }),
      )
      .describe("In the order of their ids as numbers."),
  })
  .meta({
    title: "TaskList output",
    description: "The team's tasks, in brief.",
    examples: [{ tasks: [{ id: "2", subject: "Task two", status: "pending", blockedBy: ["1"] }] }],
  });
export type TaskListOutput = z.infer<typeof TaskListOutput>;

/** The TaskList tool. */
export const taskListTool = defineToolBoundary({
  name: "TaskList",
  aliases: [],
  input: { "2026-02": TaskListInput, "2026-11": TaskListInput },
  output: { "2026-02": TaskListOutput, "2026-11": TaskListOutput },
});

/** The text the model sees: one task a line. */
export const taskListText = ({ tasks }: TaskListOutput): string =>
  tasks.length === 0
    ? "No tasks"
    : tasks
        .map(({ id, subject, status, owner, blockedBy }) => {
          const held = owner ? ` (${oneLine(owner)})` : "";
          const blocked = blockedBy.length > 0 ? ` [blocked by ${blockedBy.map((by) => `#${by}`).join(", ")}]` : "";
          return `#${id} [${status}] ${oneLine(subject)}${held}${blocked}`;
        })
        .join("\n");

/** A subject with a line break in it cannot look like two tasks. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
