import { openBlockersOf } from "@troupe/protocol";
import { taskListTool as boundary, TaskListInput, taskListText } from "@troupe/protocol/tools";
import { bounded, said } from "../loop/outcome.ts";
import type { Tool } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";
import { answered, type TaskToolsDeps, toldOf } from "./task-board.ts";

/** Shows all tasks in short. */
export const taskListTool = (deps: Pick<TaskToolsDeps, "tasks">): Tool =>
  typedTool({
    name: boundary.name,
    description:
      "Lists the tasks of the shared list: state, owner, and what each still waits for. Take the lowest that is pending, has no owner and waits for nothing.",
    input: TaskListInput,
    isRead: true,
    run: () =>
      answered(async () => {
        const { tasks: found, problems } = await deps.tasks.list();
        const readable = new Set(found.map(({ id }) => id));
        const unreadable = new Set(problems.flatMap(({ id }) => (readable.has(id) ? [] : [id])));
        const blockers = openBlockersOf(found, unreadable);
        const inShort = found.map(({ id, subject = "", status, owner }) => ({
          id,
          subject,
          status,
          ...(owner ? { owner } : {}),
          blockedBy: [...(blockers.get(id) ?? [])],
        }));
        const told = [...unreadable].map(
          (id) =>
            `\n\n${toldOf(
              id,
              problems.filter((one) => one.id === id),
            )}`,
        );
        return said(bounded(taskListText({ tasks: inShort }) + told.join(""), "TaskGet shows one task"));
      }),
  });
