import { taskStopTool as boundary, stopTargetOf, TaskStopInput, type TaskStopOutput } from "@troupe/protocol/tools";
import { failed, said } from "../loop/outcome.ts";
import type { Tool } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";
import { type Employer, othersIn, tasksOf } from "./background-tasks.ts";

/** Ends work in the background. */
export const taskStopTool = (): Tool<Employer> =>
  typedTool({
    name: boundary.name,
    description: "Ends work that runs in the background, by its id: a shell, an agent, a teammate by its name.",
    input: TaskStopInput,
    run: async (input, { agent }) => {
      const tasks = tasksOf(agent);
      const { taskId, problems } = stopTargetOf(input);
      if (taskId === undefined) return failed(problems.map(({ message, fix }) => `${message}: ${fix}`).join("\n"));
      const task = tasks.find(taskId);
      if (!task) return failed(`There is no task ${taskId}. ${othersIn(tasks)}`);
      if (task.status() !== "running")
        return failed(`Task ${taskId} does not run: it is ${task.status()}. ${othersIn(tasks)}`);
      const tells = task.markTold();
      await task.stop();
      const { id, type, command } = task;
      const output: TaskStopOutput = { message: `Stopped task ${id}`, task_id: id, task_type: type, command };
      return { ...said(JSON.stringify(output)), tells };
    },
  });
