import { z } from "zod";
import type { Hand } from "../room.ts";
import { shownTask, TaskShape, taskLine } from "./task.ts";
import { defineTool, idFrom, idOf } from "./tool.ts";

export const createTask = defineTool<Hand>()({
  name: "create_task",
  title: "Create a task",
  description: "Adds a task to the shared list. An owner is told that the task is theirs.",
  input: z.object({
    subject: z.string().min(1).describe("What is to be done, as an instruction."),
    description: z.string().optional().describe("Everything that somebody needs who knows nothing else."),
    blocked_by: z.array(idOf("Such as 3.")).optional().describe("Ids of tasks that must be completed first."),
    owner: z.string().optional().describe("The member that is to do it."),
  }),
  output: z.object({ task: TaskShape }),
  async run({ subject, description = "", blocked_by = [], owner }, { membership }) {
    const draft = { subject, description, ...(owner !== undefined && { owner }) };
    const { id } = await membership.self.tasks.create(draft, { addBlockedBy: blocked_by.map(idFrom) });
    const task = await shownTask(membership.self.tasks, id);
    return { value: { task }, text: `Created ${taskLine(task)}` };
  },
});
