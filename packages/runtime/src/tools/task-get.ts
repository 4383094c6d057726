import { taskGetTool as boundary, TaskGetInput } from "@troupe/protocol/tools";
import { bounded, said } from "../loop/outcome.ts";
import type { Tool } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";
import { absent, answered, type TaskToolsDeps } from "./task-board.ts";

/** Shows one task whole. */
export const taskGetTool = (deps: Pick<TaskToolsDeps, "tasks">): Tool =>
  typedTool({
    name: boundary.name,
    description:
      "Shows everything about one task of the shared list: what is to be done, and what it has to do with others.",
    input: TaskGetInput,
    isRead: true,
    run: ({ taskId }) =>
      answered(async () => {
        const { value, problems } = await deps.tasks.get(taskId);
        return value
          ? said(bounded(JSON.stringify(value, undefined, 2), "the task is too long"))
          : absent(taskId, problems);
      }),
  });
