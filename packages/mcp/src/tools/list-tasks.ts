import { z } from "zod";
import { shownTasks, TaskShape, taskLine } from "./task.ts";
import { defineTool } from "./tool.ts";

export const listTasks = defineTool()({
  name: "list_tasks",
  title: "List tasks",
  description:
    "The shared tasks of the team, in order of their ids. Ready means: pending, nobody's, and nothing left to wait for.",
  input: z.object({
    ready: z.boolean().optional().describe("Only tasks that can be claimed now."),
    owner: z.string().optional().describe("Only tasks of this member."),
    status: z.enum(["pending", "in_progress", "completed"]).optional(),
  }),
  output: z.object({ tasks: z.array(TaskShape) }),
  isReadOnly: true,
  async run({ ready, owner, status }, { team }) {
    const can = ready ? new Set((await team.tasks.ready()).map(({ id }) => id)) : undefined;
    const tasks = (await shownTasks(team.tasks)).filter(
      (one) =>
        (!can || can.has(one.id)) &&
        (owner === undefined || one.owner === owner) &&
        (status === undefined || one.status === status),
    );
    return { value: { tasks }, text: tasks.map(taskLine).join("\n") || "There are no such tasks." };
  },
});
