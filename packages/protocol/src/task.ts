import { z } from "zod";
import { TroupeError } from "./errors.ts";
import { isTaskId, TaskId } from "./names.ts";

/** The states of a task; `deleted` occurs only as a tombstone, since deletion removes the file. */
export const TaskStatus = z.enum(["pending", "in_progress", "completed", "deleted"]);
export type TaskStatus = z.infer<typeof TaskStatus>;

/** A task as any reader sees it. */
export const Task = z
  .looseObject({
    id: TaskId.describe("Equal to the file name without `.json`."),
    subject: z.string().optional().describe("What is to be done, as an instruction: `Write the parser`."),
    description: z.string().optional().describe("Details and what counts as done."),
    activeForm: z.string().optional().describe("What to show while the task is in progress: `Writing the parser`."),
    owner: z.string().optional().describe("The bare name of the member that owns the task; absent without an owner."),
    status: TaskStatus.describe("pending, in_progress, completed; deleted is a tombstone."),
    blocks: z.array(TaskId).optional().describe("Ids of the tasks that wait for this one."),
    blockedBy: z
      .array(TaskId)
      .optional()
      .describe("Ids of the tasks this one waits for; one that is completed, deleted or absent blocks nothing."),
    metadata: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Anything; `_internal: true` marks another client's bookkeeping."),
    createdAt: z.union([z.number(), z.string()]).optional().describe("Not written; some implementations do."),
    updatedAt: z.union([z.number(), z.string()]).optional().describe("Not written; some implementations do."),
  })
  .meta({ title: "Task", description: "One task of a team's list." });
export type Task = z.infer<typeof Task>;

/** Which states may follow. A task can be taken back and reopened; nothing leaves `deleted`. */
export const transitions: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  pending: ["in_progress", "completed", "deleted"],
  in_progress: ["completed", "pending", "deleted"],
  completed: ["pending", "in_progress", "deleted"],
  deleted: [],
};

export const isTransition = (from: TaskStatus, to: TaskStatus): boolean =>
  from === to || transitions[from].includes(to);

/** Another client's bookkeeping: kept, not listed, never offered. */
export const isInternal = (task: Task): boolean => task.metadata?.["_internal"] === true;

/**
 * The tasks that each task still waits for. An edge recorded on one side only is an edge; a
 * completed, deleted or absent blocker blocks nothing, an unreadable one blocks, since its state is
 * unknown.
 */
export function openBlockersOf(
  tasks: readonly Task[],
  unreadable: Iterable<string> = [],
): ReadonlyMap<string, readonly string[]> {
  const open = new Set(unreadable);
  for (const { id, status } of tasks) if (status !== "completed" && status !== "deleted") open.add(id);
  const blockers = new Map(tasks.map(({ id, blockedBy = [] }) => [id, blockedBy.filter((one) => open.has(one))]));
  for (const { id, blocks = [] } of tasks) {
    if (open.has(id)) for (const waiting of blocks) blockers.get(waiting)?.push(id);
  }
  for (const [id, waitsFor] of blockers) if (waitsFor.length > 1) blockers.set(id, [...new Set(waitsFor)]);
  return blockers;
}

/** Whether the task can be claimed now, given the open tasks it waits for. */
export const isClaimable = (task: Task, openBlockers: readonly string[] = []): boolean =>
  task.status === "pending" && !task.owner && !isInternal(task) && openBlockers.length === 0;

/** The order of ids as numbers: 10 comes after 9. */
export const byId = (a: Pick<Task, "id">, b: Pick<Task, "id">): number => Number(a.id) - Number(b.id);

/** The id after every id in sight and after the highest one ever given. */
export function nextId(present: Iterable<string>, highWaterMark = 0): string {
  let highest = Number.isSafeInteger(highWaterMark) ? highWaterMark : 0;
  for (const id of present) if (isTaskId(id)) highest = Math.max(highest, Number(id));
  const next = String(highest + 1);
  if (isTaskId(next)) return next;
  throw new TroupeError(
    "id_invalid",
    `there is no task id after ${highest}: remove ${highest}.json or correct .highwatermark`,
    { highest },
  );
}
