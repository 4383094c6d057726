import type { Task } from "@troupe/protocol";
import {
  assertStartable,
  changedTasks,
  type EdgeSide,
  inOrder,
  isOpen,
  isThere,
  neighboursOf,
  planChange,
  type TaskChange,
  type TaskFile,
  type TaskTies,
  withoutTask,
} from "@troupe/protocol/rules";
import type { Held } from "./lock.ts";
import { removeDocument } from "./publication.ts";
import type { TaskList } from "./task-list.ts";

/**
 * So many tasks are changed under one hold at the most when an id is taken out of them: others give
 * up after 0.7 seconds.
 */
const maxHeld = 64;

/**
 * Changes the fields of one task under its lock. Where edges or the state are at stake the lock of
 * the list is held as well, with those of the tasks at the other ends; an edge of this task that a
 * crash has left on one side only is completed then. Gives it as it was before and is after.
 */
export async function changeTask(list: TaskList, id: string, change: TaskChange) {
  const { codec } = list;
  const named = [...(change.addBlocks ?? []), ...(change.addBlockedBy ?? [])];
  const parted = [...(change.removeBlocks ?? []), ...(change.removeBlockedBy ?? [])];
  for (const one of [id, ...named]) list.demand(one);
  if (named.length + parted.length === 0 && change.status === undefined) {
    return list.holding([id], "tasks", (held) => amend(list, held, id, change, [id]));
  }
  const { ids, blockers, neighbours } = planChange(id, change, await list.readAll(), codec);
  const changed = await list.holding(ids, "list and tasks", (held) => {
    for (const one of [id, ...named]) list.demand(one);
    if (named.length > 0) planChange(id, change, list.lookAll(), codec);
    if (change.status === "in_progress") assertStartable(list.demand(id), blockers.map(list.look));
    return amend(list, held, id, change, ids);
  });
  if (change.status === "completed" && codec.unblocksOnDisk) {
    await takeOut(list, id, [...neighbours, ...(changed.after.blocks ?? [])], ["blockedBy"]);
  }
  return changed;
}

/**
 * The documents to write for a new task and those it is tied to, the new one first; throws before
 * anything is written.
 */
export function tied(list: TaskList, made: TaskFile, ties: TaskTies): Map<string, object> {
  const { codec } = list;
  const named = inOrder([...(ties.addBlocks ?? []), ...(ties.addBlockedBy ?? [])]);
  for (const one of named) list.demand(one);
  if (named.length > 0) planChange(made.id, ties, [...list.lookAll(), made], codec);
  const others = named.flatMap((one) => list.look(one) ?? []);
  return new Map([[made.id, made.read.raw as object], ...changedTasks(made.id, ties, [made, ...others], codec)]);
}

/**
 * Everything is made before anything is written, so that a refusal leaves all files as they were.
 */
function amend(list: TaskList, held: Held, id: string, change: TaskChange, ids: readonly string[]) {
  const before = list.demand(id);
  const files = ids.flatMap((one) => list.look(one) ?? []);
  const documents = changedTasks(id, change, files, list.codec);
  const written = new Map(Array.from(documents, ([one, document]) => [one, list.write(held, one, document)]));
  return { before, after: written.get(id) ?? before };
}

/**
 * Removes a task and what names it; undefined when there is none. The mark is raised before the
 * file goes, and the edges are removed after it: between the two they point to nothing and block no
 * task. A retry removes what an earlier attempt left.
 */
export async function removeTask(list: TaskList, id: string): Promise<Task | undefined> {
  const { codec, ids, layout, isDurable } = list;
  const neighbours = neighboursOf(id, await list.readAll());
  let gone: Task | undefined;
  if (isThere(list.look(id))) {
    ids.survey();
    gone = await list.holding([id], "list and tasks", (held) => {
      const file = list.look(id);
      if (!isThere(file)) return undefined;
      const task = list.demand(id, file);
      ids.keepMark(held, isDurable);
      // A process that is stopped between the two removes no more than a tombstone.
      if (file.read.isWritable) list.write(held, id, codec.amendTask(file.read, { status: "deleted" }));
      removeDocument(held, layout.task(id), isDurable);
      return task;
    });
  }
  const named = [...neighbours, ...(gone?.blocks ?? []), ...(gone?.blockedBy ?? [])];
  await takeOut(list, id, named, ["blocks", "blockedBy"]);
  return gone;
}

/**
 * Removes an id that is done or gone from the tasks that name it. Readers know that no task waits
 * for it meanwhile.
 */
export async function takeOut(list: TaskList, id: string, candidates: Iterable<string>, sides: readonly EdgeSide[]) {
  const documentOf = (other: string) => withoutTask(list.look(other), id, sides, list.codec);
  const named = inOrder(candidates).filter((other) => other !== id && documentOf(other));
  for (let start = 0; start < named.length; start += maxHeld) {
    const some = named.slice(start, start + maxHeld);
    await list.holding(some, "list and tasks", (held) => {
      // Another process may have opened it again since.
      if (isOpen(list.look(id))) return;
      for (const other of some) {
        const document = documentOf(other);
        if (document) list.write(held, other, document);
      }
    });
  }
}
