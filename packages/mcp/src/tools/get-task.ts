import { z } from "zod";
import { shownTask, TaskShape, taskLine } from "./task.ts";
import { defineTool, taskId } from "./tool.ts";

export const getTask = defineTool()({
  name: "get_task",
  title: "Look at a task",
  description: "One task with its description, its owner and what it waits for.",
  input: z.object({ id: taskId }),
  output: z.object({ task: TaskShape }),
  isReadOnly: true,
  async run({ id }, { team }) {
    const task = await shownTask(team.tasks, id);
    return { value: { task }, text: [taskLine(task), task.description ?? ""].join("\n").trimEnd() };
  },
});
