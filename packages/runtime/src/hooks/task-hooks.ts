import type { Revision, Task } from "@troupe/protocol";
import { hookEvents } from "@troupe/protocol/hooks";
import type { Hooks } from "./hooks.ts";
import type { HookOutcome } from "./outcome.ts";
import type { HookReports } from "./report.ts";

/** Dependencies of the hooks of tasks. */
export interface TaskHooksDeps {
  readonly hooks: Pick<Hooks, "fire">;
  readonly reports: HookReports;
  readonly team?: string | undefined;
  /** The bare name of the member whose task it is, or who made it. */
  readonly member?: string | undefined;
}

export type Completion = { readonly completes: true } | { readonly completes: false; readonly because: string };

/**
 * Asks the hooks of TaskCompleted, while the task is still open on disk. A hook that says that the
 * agent must not continue stops it, and leaves the task open: what was completed by mistake would
 * let others begin.
 */
export async function mayComplete(task: Task, deps: TaskHooksDeps, signal: AbortSignal): Promise<Completion> {
  const { block, stop } = await fire("TaskCompleted", task, deps, signal);
  if (stop) deps.reports.stop(stop.reason);
  if (block !== undefined) return { completes: false, because: block };
  if (stop) return { completes: false, because: `A hook stopped the agent: ${stop.reason}` };
  return signal.aborted ? { completes: false, because: cancelled } : { completes: true };
}

/**
 * Why the new task must go again, as the hooks of TaskCreated see it, where the revision has them.
 * The agent that created it goes on in any case.
 */
export async function refusalOfNew(
  task: Task,
  { revision, ...deps }: TaskHooksDeps & { readonly revision: Revision },
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
