import { isTroupeError, type Problem, type Revision, type Task } from "@troupe/protocol";
import { hookEvents } from "@troupe/protocol/hooks";
import { taskNotFoundText } from "@troupe/protocol/tools";
import type { Tasks } from "@troupe/store";
import type { Hooks } from "../hooks/hooks.ts";
import type { HookReports } from "../hooks/judge.ts";
import type { HookOutcome } from "../hooks/outcome.ts";
import type { ToolOutcome } from "../loop/tool.ts";
import { failed } from "./outcome.ts";

/** What the tools of the shared task list need. */
export interface TaskToolsDeps {
  /** Those of a team's member, or those of a session without a team. */
  readonly tasks: Tasks;
  readonly hooks: Pick<Hooks, "fire">;
  readonly reports: HookReports;
  readonly team?: string;
  /** The bare name of the member that calls. */
  readonly member?: string;
  readonly revision: Revision;
}

/** What the hooks of tasks need. */
export type TaskHooksDeps = Pick<TaskToolsDeps, "hooks" | "reports" | "team" | "member">;

export type Completion = { readonly completes: true } | { readonly completes: false; readonly because: string };

/**
 * Asks the hooks of TaskCompleted, while the task is still open on disk. A hook that says that the agent must not continue stops it, and
 * leaves the task open: what was completed by mistake would let others begin.
 */
export async function mayComplete(task: Task, deps: TaskHooksDeps, signal: AbortSignal): Promise<Completion> {
  const { block, stop } = await fire("TaskCompleted", task, deps, signal);
  if (stop) deps.reports.stop(stop.reason);
  if (block !== undefined) return { completes: false, because: block };
  if (stop) return { completes: false, because: `A hook stopped the agent: ${stop.reason}` };
  return signal.aborted ? { completes: false, because: cancelled } : { completes: true };
}

/** Why the new task must go again, as the hooks of TaskCreated see it, where the revision has them. Whoever made it goes on in any case. */
export async function refusalOfNew(
  task: Task,
  { revision, ...deps }: TaskHooksDeps & Pick<TaskToolsDeps, "revision">,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!hookEvents[revision].includes("TaskCreated")) return undefined;
  const { block } = await fire("TaskCreated", task, deps, signal);
  return block ?? (signal.aborted ? cancelled : undefined);
}

/** A hook that was cancelled might have refused. */
const cancelled = "The call was cancelled before its hooks had answered.";

async function fire(
  event: string,
  { id, subject = "", description }: Task,
  { hooks, reports, team, member }: TaskHooksDeps,
  signal: AbortSignal,
): Promise<HookOutcome> {
  const fields = {
    task_id: id,
    task_subject: subject,
    task_description: description,
    teammate_name: member,
    team_name: team,
  };
  const outcome = await hooks.fire(event, fields, signal);
  for (const message of [...outcome.messages, ...outcome.errors]) reports.show(message);
  return outcome;
}

/** What the store refuses is an answer, which says what to do; anything else is a fault. */
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

/** What is wrong with the file of a task. */
export const toldOf = (id: string, problems: readonly Problem[]): string =>
  `the file of task #${id} cannot be used: ${problems.map(({ message, fix }) => `${message}; ${fix}`).join(". ")}`;
