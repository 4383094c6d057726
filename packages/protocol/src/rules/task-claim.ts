import type { Patch } from "../json/write-json.ts";
import { isInternal, type Task } from "../task.ts";

/** The result of an attempt to claim a task. */
export type Claim =
  | { readonly outcome: "claimed"; readonly task: Task }
  | { readonly outcome: "taken"; readonly owner: string | undefined }
  | { readonly outcome: "blocked"; readonly by: readonly string[] }
  | { readonly outcome: "absent" };

/** Why this agent may not take the task, whatever it waits for; undefined where it may. */
export function refusalOf(task: Task, agent: string): Claim | undefined {
  if (isInternal(task)) return { outcome: "absent" };
  const isForAgent = !task.owner || task.owner === agent;
  return task.status === "pending" && isForAgent ? undefined : { outcome: "taken", owner: task.owner };
}

/**
 * The change that releases an unfinished task; undefined if it has no owner, or not the given one.
 */
export function released({ status, owner }: Task, agent: string | undefined): Patch<Task, "id"> | undefined {
  const isIdle = status === "completed" || (status === "pending" && !owner);
  return isIdle || (agent !== undefined && owner !== agent) ? undefined : { owner: undefined, status: "pending" };
}
