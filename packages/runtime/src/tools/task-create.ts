import { taskCreateTool as boundary, TaskCreateInput } from "@troupe/protocol/tools";
import { refusalOfNew } from "../hooks/task-hooks.ts";
import { failed, said } from "../loop/outcome.ts";
import type { Tool } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";
import { answered, type TaskToolsDeps } from "./task-board.ts";

/** Puts a task on the shared list. Hooks see it there, and can have it removed. */
export const taskCreateTool = (deps: TaskToolsDeps): Tool =>
  typedTool({
    name: boundary.name,
    description:
      "Adds a task to the shared list: pending, without an owner, waiting for nothing. TaskUpdate gives it to somebody, or lets it wait for others.",
    input: TaskCreateInput,
    run: ({ subject, description, activeForm, metadata }, { signal }) =>
      answered(async () => {
        const task = await deps.tasks.create({ subject, description, activeForm, metadata });
        const refusal = await refusalOfNew(task, deps, signal);
        if (refusal === undefined) return said(`Created task #${task.id}: ${subject}`);
        await deps.tasks.remove(task.id);
        return failed(`The task was not created. ${refusal}`);
      }),
  });
