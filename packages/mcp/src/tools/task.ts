import { isInternal, openBlockersOf, type Task, TroupeError } from "@troupe/protocol";
import type { Tasks } from "@troupe/store";
import { z } from "zod";
import { idFrom } from "./tool.ts";

/** A task as clients see it. */
export const TaskShape = z.object({
  id: z.string(),
  subject: z.string(),
  description: z.string().optional(),
  status: z.string().describe("pending, in_progress or completed"),
  owner: z.string().optional().describe("The member that works on it."),
  blocked_by: z.array(z.string()).describe("Ids of unfinished tasks that must be completed first."),
});
export type TaskShape = z.infer<typeof TaskShape>;

const taskShape = (task: Task, openBlockers: Iterable<string>): TaskShape => ({
  id: task.id,
  subject: task.subject ?? "",
  ...(task.description && { description: task.description }),
  status: task.status,
  ...(task.owner && { owner: task.owner }),
  blocked_by: [...openBlockers],
});

/** The tasks that people and models are shown, with what still holds each up. */
export async function shownTasks(tasks: Tasks): Promise<readonly TaskShape[]> {
  const { tasks: all } = await tasks.list();
  const blockers = openBlockersOf(all);
  return all
    .filter((task) => task.status !== "deleted" && !isInternal(task))
    .map((task) => taskShape(task, blockers.get(task.id) ?? []));
}

/** One of them. Throws `task_unknown`. */
export async function shownTask(tasks: Tasks, word: string): Promise<TaskShape> {
  const id = idFrom(word);
  const found = (await shownTasks(tasks)).find((one) => one.id === id);
  if (found) return found;
  const { problems } = await tasks.get(id);
  const why = problems.map(({ message, fix }) => `; its file cannot be used: ${message}; ${fix}`).join("");
  throw new TroupeError("task_unknown", `there is no task ${id}: call list_tasks for the ids${why}`, { id });
}

/** One line a task, as models read a list best. */
export const taskLine = ({ id, subject, status, owner, blocked_by }: TaskShape): string =>
  [
    `#${id} [${status}] ${subject}`,
    owner ? ` (${owner})` : "",
    blocked_by.length > 0 ? ` waits for ${blocked_by.map((one) => `#${one}`).join(", ")}` : "",
  ].join("");
