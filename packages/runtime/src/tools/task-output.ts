import { setTimeout as delay } from "node:timers/promises";
import { insideTags } from "@troupe/protocol";
import { taskOutputTool as boundary, TaskOutputInput } from "@troupe/protocol/tools";
import { firstOf } from "@troupe/store";
import { failed, said } from "../loop/outcome.ts";
import type { Tool } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";
import { type Employer, othersIn, tasksOf } from "./background-tasks.ts";

/** Looks at work in the background. */
export const taskOutputTool = (): Tool<Employer> =>
  typedTool({
    name: boundary.name,
    description:
      "Shows the state and the output of work in the background; with block it waits until that has ended. Its output file can be read with Read, " +
      "which is better while it goes on.",
    input: TaskOutputInput,
    isConcurrent: true,
    run: async ({ task_id, block, timeout }, { signal, agent }) => {
      const tasks = tasksOf(agent);
      const task = tasks.find(task_id);
      if (!task) return failed(`There is no task ${task_id}. ${othersIn(tasks)}`);
      if (block)
        await firstOf(
          signal,
          () => task.ended,
          (either) => delay(timeout, undefined, { signal: either }),
        ).catch(() => {});
      const status = task.status();
      const tells = status === "running" ? undefined : task.markTold();
      const code = task.exitCode();
      const facts = [
        ["retrieval_status", status !== "running" ? "success" : block ? "timeout" : "not_ready"],
        ["task_id", task.id],
        ["task_type", task.type],
        ["status", status],
        ...(task.notification ? [["notification", task.notification()]] : []),
        ...(code === undefined ? [] : [["exit_code", String(code)]]),
        ...(task.outputFile === undefined ? [] : [["output_file", task.outputFile]]),
      ];
      const head = facts.map(([name, value]) => `<${name}>${insideTags(String(value))}</${name}>`).join("\n");
      return { ...said(`${head}\n<output>\n${insideTags(task.output().trimEnd())}\n</output>`), tells };
    },
  });
