import { taskOutputTool as boundary, TaskOutputInput } from "@troupe/protocol/tools";
import type { BackgroundTasks } from "../jobs/background-task.ts";
import type { Tool } from "../loop/tool.ts";
import { failed, said } from "./outcome.ts";
import { typedTool } from "./typed-tool.ts";

export interface TaskOutputDeps {
  readonly tasks: BackgroundTasks;
}

/** Looks at work in the background. */
export const taskOutputTool = ({ tasks }: TaskOutputDeps): Tool =>
  typedTool({
    name: boundary.name,
    description:
      "Shows the state and the output of work in the background; with block it waits until that has ended. Its output file can be read with Read, " +
      "which is better while it goes on.",
    input: TaskOutputInput,
    isConcurrent: true,
    run: async ({ task_id, block, timeout }, { signal }) => {
      const task = tasks.find(task_id);
      if (!task) return failed(`There is no task ${task_id}; one of an earlier process has ended with it.`);
      if (block) await waitFor(task.ended, timeout, signal);
      const status = task.status();
      if (status !== "running") task.markTold();
      const code = task.exitCode();
      const facts = [
        ["retrieval_status", status !== "running" ? "success" : block ? "timeout" : "not_ready"],
        ["task_id", task.id],
        ["task_type", task.type],
        ["status", status],
        ...(code === undefined ? [] : [["exit_code", String(code)]]),
        ["output_file", task.outputFile],
      ];
      const head = facts.map(([name, value]) => `<${name}>${value}</${name}>`).join("\n");
      return said(`${head}\n<output>\n${task.output().trimEnd()}\n</output>`);
    },
  });

async function waitFor(ended: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  const own = new AbortController();
  const timer = setTimeout(() => own.abort(), ms);
  const enough = AbortSignal.any([signal, own.signal]);
  await Promise.race([
    ended,
    new Promise<void>((done) => {
      if (enough.aborted) done();
      enough.addEventListener("abort", () => done(), { once: true });
    }),
  ]);
  clearTimeout(timer);
}
