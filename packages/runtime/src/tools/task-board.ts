import { isTroupeError, type Problem, type Revision, type Task } from "@troupe/protocol";
import { taskNotFoundText } from "@troupe/protocol/tools";
import type { Tasks } from "@troupe/store";
import type { TaskHooksDeps } from "../hooks/task-hooks.ts";
import { failed } from "../loop/outcome.ts";
import type { ToolOutcome } from "../loop/tool.ts";

/**
 * Dependencies of the tools of the shared task list, which read them at each call: a session may
 * join a team and leave it.
 */
export interface TaskToolsDeps extends TaskHooksDeps {
  /** Those of a team's member, or those of a session without a team. */
  readonly tasks: Tasks;
  readonly revision: Revision;
  /** Sends a member the assignment of a task that it took itself, where the revision has that. */
  readonly announce?: (task: Task) => Promise<void>;
}

/** A refusal of the store is an answer, which says what to do; anything else is a fault. */
export async function answered(work: () => Promise<ToolOutcome>, before = ""): Promise<ToolOutcome> {
  try {
    return await work();
  } catch (error) {
    if (!isTroupeError(error)) throw error;
    return failed(before + (error.code === "task_unknown" ? notFound(error.message) : error.message));
  }
}

/** There is no such task, or its file cannot be used, which is told. */
export const absent = (id: string, problems: readonly Problem[]): ToolOutcome =>
  failed(notFound(problems.length > 0 ? toldOf(id, problems) : `there is no task ${id}: list the tasks for their ids`));

const notFound = (why: string): string => `${taskNotFoundText}: ${why}`;

/** The problems of a task's file, in words. */
export const toldOf = (id: string, problems: readonly Problem[]): string =>
  `the file of task #${id} cannot be used: ${problems.map(({ message, fix }) => `${message}; ${fix}`).join(". ")}`;
