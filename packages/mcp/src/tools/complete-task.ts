import { z } from "zod";
import type { Hand } from "../room.ts";
import { shownTask, TaskShape, taskLine } from "./task.ts";
import { defineTool, idFrom, taskId } from "./tool.ts";

export const completeTask = defineTool<Hand>()({
  name: "complete_task",
  title: "Complete a task",
  description: "Says that a task is done altogether. What waited only for it can be claimed from then on.",
  input: z.object({ id: taskId }),
  output: z.object({ task: TaskShape }),
  isIdempotent: true,
  async run({ id: word }, { membership }) {
    const id = idFrom(word);
    await membership.self.tasks.complete(id);
    const task = await shownTask(membership.self.tasks, id);
    return { value: { task }, text: `Completed ${taskLine(task)}` };
  },
});
