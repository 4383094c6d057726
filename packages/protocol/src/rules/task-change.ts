import { TroupeError } from "../errors.ts";
import { isObject } from "../json/is-object.ts";
import type { Patch } from "../json/write-json.ts";
import type { Codec } from "../revisions/codec.ts";
import type { Task } from "../task.ts";
import {
  circleOf,
  type Edge,
  type EdgeSide,
  edgesAt,
  endsOf,
  inOrder,
  isHalf,
  joining,
  parting,
  requestedEdges,
  separating,
} from "./task-edges.ts";
import { isOpen, isThere, type TaskFile, tasksOf } from "./task-file.ts";

/** The fields of a task change. An owner of undefined releases the task. */
export interface TaskChange extends Patch<Task, "id" | "blocks" | "blockedBy" | "metadata"> {
  readonly addBlocks?: readonly string[];
  readonly addBlockedBy?: readonly string[];
  /** An edge that is not there stays away. */
  readonly removeBlocks?: readonly string[];
  readonly removeBlockedBy?: readonly string[];
  /** Merged key by key; null removes a key. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The owner and dependencies of a new task. */
export type TaskTies = Pick<TaskChange, "owner" | "addBlocks" | "addBlockedBy">;

/**
 * The tasks at the other ends of a task's edges, including edges recorded only on the other side.
 */
export const neighboursOf = (id: string, files: readonly TaskFile[]): string[] =>
  inOrder(endsOf(edgesAt(id, tasksOf(files)))).filter((other) => other !== id);

/**
 * The task without a finished or deleted id on these sides; undefined if it lacks the id or must
 * not be rewritten.
 */
export function withoutTask(
  file: TaskFile | undefined,
  id: string,
  sides: readonly EdgeSide[],
  codec: Pick<Codec, "amendTask">,
): object | undefined {
  if (!file?.read.value || !file.read.isWritable) return undefined;
  const patch = parting(file.read.value, id, sides);
  return patch && codec.amendTask(file.read, patch);
}

/** The other tasks that a change to a task's edges or state concerns. */
export interface ChangePlan {
  /** The tasks to lock: that task, and those to which an edge is written. */
  readonly ids: readonly string[];
  /** The tasks that must be done before this one is started. */
  readonly blockers: readonly string[];
  /** The tasks that may name this one. */
  readonly neighbours: readonly string[];
}

/** Throws `task_cyclic` for a change that would close a circle. */
export function planChange(id: string, change: TaskChange, files: readonly TaskFile[], codec: Unblocking): ChangePlan {
  const added = requestedEdges(id, change);
  assertAcyclic(added, files);
  const isKept = keptBy(id, change);
  const edges = edgesAt(id, tasksOf(files));
  const waitedFor = [...edges, ...added].filter((edge) => edge.waiting === id && isKept(edge));
  const present = new Set(files.map((file) => file.id));
  const parted = endsOf(removedEdges(id, change)).filter((end) => present.has(end));
  return {
    ids: inOrder([id, ...endsOf(edgesToWrite(id, change, files, codec)), ...parted]),
    blockers: inOrder(waitedFor.map(({ blocker }) => blocker)),
    neighbours: neighboursOf(id, files),
  };
}

type Unblocking = Pick<Codec, "unblocksOnDisk">;

/**
 * The requested edges, and those of the task left one-sided by a crash, where both ends are
 * writable.
 */
function edgesToWrite(id: string, change: TaskChange, files: readonly TaskFile[], { unblocksOnDisk }: Unblocking) {
  const tasks = tasksOf(files.filter(({ read }) => read.isWritable));
  const task = tasks.get(id);
  if (task && change.status) tasks.set(id, { ...task, status: change.status });
  const half = edgesAt(id, tasks).filter((edge) => isHalf(edge, tasks, unblocksOnDisk));
  return [...requestedEdges(id, change), ...half];
}

const removedEdges = (id: string, { removeBlocks = [], removeBlockedBy = [] }: TaskChange): Edge[] =>
  requestedEdges(id, { addBlocks: removeBlocks, addBlockedBy: removeBlockedBy });

/** True for an edge that the change does not remove. */
function keptBy(id: string, change: TaskChange): (edge: Edge) => boolean {
  const removed = removedEdges(id, change);
  return ({ blocker, waiting }) => !removed.some((one) => one.blocker === blocker && one.waiting === waiting);
}

/** The documents after a change of these tasks, by id; none if one of them is refused. */
export function changedTasks(
  id: string,
  change: TaskChange,
  files: readonly TaskFile[],
  codec: Pick<Codec, "amendTask" | "unblocksOnDisk">,
): Map<string, object> {
  const tasks = tasksOf(files);
  const joined = joining(edgesToWrite(id, change, files, codec), tasks);
  const patches = new Map<string, Patch<Task, "id">>(separating(removedEdges(id, change), tasks, joined));
  const documents = new Map<string, object>();
  for (const { id: end, read } of files) {
    const patch = { ...(end === id && fieldsOf(change, read)), ...patches.get(end) };
    if (Object.keys(patch).length > 0) documents.set(end, codec.amendTask(read, patch));
  }
  return documents;
}

const plainFields = ["subject", "description", "activeForm", "owner", "status", "createdAt", "updatedAt"] as const;

function fieldsOf(change: TaskChange, { value, raw }: TaskFile["read"]): Patch<Task, "id"> {
  const named = plainFields.filter((field) => Object.hasOwn(change, field));
  const isGivenBack = Object.hasOwn(change, "owner") && change.owner === undefined && value?.status === "in_progress";
  return {
    ...(isGivenBack && { status: "pending" }),
    ...Object.fromEntries(named.map((field) => [field, change[field]])),
    ...(change.metadata && { metadata: merged((raw as { metadata?: unknown }).metadata, change.metadata) }),
  };
}

/** Key by key; null removes one, and nothing at all remains of metadata without keys. */
function merged(old: unknown, added: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const entries = new Map<string, unknown>(isObject(old) ? Object.entries(old) : []);
  for (const [key, value] of Object.entries(added)) {
    if (value === null || value === undefined) entries.delete(key);
    else entries.set(key, value);
  }
  return entries.size > 0 ? Object.fromEntries(entries) : undefined;
}

/** A blocked task may be assigned, but not started: throws `task_blocked`. */
export function assertStartable({ id, status }: Task, blockers: readonly (TaskFile | undefined)[]): void {
  const open = blockers.filter(isOpen).map((file) => file.id);
  if (status === "in_progress" || open.length === 0) return;
  throw new TroupeError("task_blocked", `task ${id} waits for ${open.join(", ")}: complete that first`, { id, open });
}

function assertAcyclic(added: readonly Edge[], files: readonly TaskFile[]): void {
  const circle = circleOf(added, tasksOf(files), new Set(files.filter(isThere).map(({ id }) => id)));
  if (!circle) return;
  const message = `these tasks would wait for each other for ever: ${circle.join(" before ")}; leave one of the dependencies out`;
  throw new TroupeError("task_cyclic", message, { circle });
}
