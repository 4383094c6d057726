import { type Patch, type Task, TroupeError } from "@troupe/protocol";
import type { TaskChange } from "../store.ts";
import { circleOf, type Edge, edgesAt, endsOf, inOrder, isHalf, joining, parting, requestedEdges } from "./edges.ts";
import type { Held } from "./lock.ts";
import { removeDocument } from "./publication.ts";
import type { TaskFile } from "./task-directory.ts";
import type { TaskIds } from "./task-ids.ts";
import { isOpen, isThere, type Locks, type TaskList, tasksOf } from "./task-list.ts";

/** So many tasks are changed under one hold at the most when an id is taken out of them: others give up after 0.7 seconds. */
const maxHeld = 64;

/** A task before and after a change. */
interface Changed {
  readonly before: Task;
  readonly after: Task;
}

/**
 * Changes the fields of one task under its lock. Where edges or the state are at stake the lock of the list is held as well, with those of
 * the tasks at the other ends; an edge of this task that a crash has left on one side only is completed then.
 */
export async function changeTask(list: TaskList, id: string, change: TaskChange): Promise<Changed> {
  const { directory, codec } = list;
  list.demand(id);
  const added = requestedEdges(id, change);
  if (added.length === 0 && change.status === undefined) {
    return list.holding([id], "tasks", (locks) => amend(list, locks, id, change, []));
  }
  const files = await directory.readAll();
  if (added.length > 0) assertJoinable(list, added, files);
  const seen = withStatus(tasksOf(files), id, change);
  const edges = edgesAt(id, seen);
  const half = edges.filter((edge) => isHalf(edge, seen, codec.unblocksOnDisk) && canMend(edge, list));
  const ends = [id, ...endsOf(added), ...endsOf(half)];

  const changed = await list.holding(ends, "list and tasks", (locks) => {
    if (added.length > 0) assertJoinable(list, added, directory.lookAll());
    const tasks = withStatus(tasksOf(inOrder(ends).map((end) => directory.look(end))), id, change);
    if (change.status === "in_progress") assertStartable(list, id, [...edges, ...added]);
    const stillHalf = half.filter((edge) => isHalf(edge, tasks, codec.unblocksOnDisk) && canMend(edge, list));
    return amend(list, locks, id, change, [...added, ...stillHalf]);
  });

  if (change.status === "completed" && codec.unblocksOnDisk) {
    await takeOut(list, id, [...endsOf(edges), ...(changed.after.blocks ?? [])], ["blockedBy"]);
  }
  return changed;
}

/** Everything is made before anything is written, so that a refusal leaves all files as they were. */
function amend(list: TaskList, locks: Locks, id: string, change: TaskChange, edges: readonly Edge[]): Changed {
  const own = list.demand(id);
  const ends = new Map(inOrder([id, ...endsOf(edges)]).map((end) => [end, list.demand(end)]));
  const tasks = new Map([...ends].map(([end, { task }]) => [end, task]));
  const patches = new Map<string, object>(joining(edges, tasks));
  patches.set(id, { ...fieldsOf(change, own), ...patches.get(id) });
  const documents = [...patches].flatMap(([end, patch]) => {
    const file = ends.get(end);
    return file && Object.keys(patch).length > 0 ? [{ end, document: list.codec.amendTask(file.read, patch) }] : [];
  });
  const written = new Map(documents.map(({ end, document }) => [end, list.write(locks, end, document)]));
  return { before: own.task, after: written.get(id) ?? own.task };
}

const plainFields = ["subject", "description", "activeForm", "owner", "status", "createdAt", "updatedAt"] as const;

function fieldsOf(change: TaskChange, { task, read }: TaskFile & { readonly task: Task }): Patch<Task, "id"> {
  const named = plainFields.filter((field) => Object.hasOwn(change, field));
  const isGivenBack = Object.hasOwn(change, "owner") && change.owner === undefined && task.status === "in_progress";
  return {
    ...(isGivenBack && { status: "pending" }),
    ...Object.fromEntries(named.map((field) => [field, change[field]])),
    ...(change.metadata && { metadata: merged((read.raw as { metadata?: unknown }).metadata, change.metadata) }),
  };
}

/** Key by key; null removes one, and nothing at all remains of metadata without keys. */
function merged(old: unknown, added: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const isRecord = typeof old === "object" && old !== null && !Array.isArray(old);
  const entries = new Map<string, unknown>(isRecord ? Object.entries(old) : []);
  for (const [key, value] of Object.entries(added)) {
    if (value === null || value === undefined) entries.delete(key);
    else entries.set(key, value);
  }
  return entries.size > 0 ? Object.fromEntries(entries) : undefined;
}

function withStatus(tasks: Map<string, Task>, id: string, { status }: TaskChange): ReadonlyMap<string, Task> {
  const task = tasks.get(id);
  return task && status ? tasks.set(id, { ...task, status }) : tasks;
}

const canMend = (edge: Edge, { directory }: TaskList): boolean =>
  endsOf([edge]).every((end) => directory.look(end)?.read.isWritable);

/** A task may be given to somebody while it waits for others, but not begun. */
function assertStartable(list: TaskList, id: string, edges: readonly Edge[]): void {
  if (list.demand(id).task.status === "in_progress") return;
  const blockers = inOrder(edges.filter(({ waiting }) => waiting === id).map(({ blocker }) => blocker));
  const open = blockers.filter((blocker) => isOpen(list.directory.look(blocker)));
  if (open.length === 0) return;
  throw new TroupeError("task_blocked", `task ${id} waits for ${open.join(", ")}: complete that first`, { id, open });
}

/** Refuses edges to tasks that are not there, and edges that close a circle. */
function assertJoinable(list: TaskList, added: readonly Edge[], files: readonly TaskFile[]): void {
  for (const end of endsOf(added)) list.demand(end);
  const circle = circleOf(added, tasksOf(files), new Set(files.filter(isThere).map(({ id }) => id)));
  if (!circle) return;
  const message = `these tasks would wait for each other for ever: ${circle.join(" before ")}; leave one of the dependencies out`;
  throw new TroupeError("task_cyclic", message, { circle });
}

/**
 * Removes a task and what names it; undefined where there is none. The mark is raised before the file goes, and the edges are taken out
 * after it: between the two they point to nothing, and block nobody. Asked again, it takes out what an earlier attempt had left.
 */
export async function removeTask(list: TaskList, ids: TaskIds, id: string): Promise<Task | undefined> {
  const { directory, layout, isDurable } = list;
  const edges = edgesAt(id, tasksOf(await directory.readAll()));
  let gone: Task | undefined;
  if (isThere(directory.look(id))) {
    ids.survey();
    gone = await list.holding([id], "list and tasks", (locks) => {
      if (!isThere(directory.look(id))) return undefined;
      const { task, read } = list.demand(id);
      const held = locks.get(layout.taskLock) as Held;
      ids.keepMark(held, isDurable);
      // Whoever is stopped between the two removes no more than a tombstone.
      if (read.isWritable) list.write(locks, id, list.codec.amendTask(read, { status: "deleted" }));
      removeDocument(held, layout.task(id), isDurable);
      return task;
    });
  }
  await takeOut(
    list,
    id,
    [...endsOf(edges), ...(gone?.blocks ?? []), ...(gone?.blockedBy ?? [])],
    ["blocks", "blockedBy"],
  );
  return gone;
}

/** Takes an id that is done or gone out of the tasks that name it. Nobody waits for it meanwhile: that is for readers to know. */
export async function takeOut(
  list: TaskList,
  id: string,
  candidates: readonly string[],
  sides: readonly ("blocks" | "blockedBy")[],
): Promise<void> {
  const { directory, codec } = list;
  const patchOf = (other: string) => {
    const read = directory.look(other)?.read;
    return read?.value && read.isWritable ? parting(read.value, id, sides) : undefined;
  };
  const named = inOrder(candidates).filter((other) => other !== id && patchOf(other));
  for (let start = 0; start < named.length; start += maxHeld) {
    const some = named.slice(start, start + maxHeld);
    await list.holding(some, "list and tasks", (locks) => {
      // Somebody may have opened it again since.
      if (isOpen(directory.look(id))) return;
      for (const other of some) {
        const patch = patchOf(other);
        const file = directory.look(other);
        if (patch && file) list.write(locks, other, codec.amendTask(file.read, patch));
      }
    });
  }
}
