import type { Task } from "@troupe/protocol";
import {
  assertStartable,
  changedTasks,
  isThere,
  neighboursOf,
  planChange,
  type TaskChange,
  taskIn,
  withoutTask,
} from "@troupe/protocol/rules";
import {
  allFiles,
  holdList,
  holdTask,
  markReady,
  removeRow,
  type Surroundings,
  surroundingsOf,
  type TaskRows,
  writeTasks,
} from "./task-rows.ts";

/** A task as it was before a change, and is after. */
export interface Changed {
  readonly before: Task;
  readonly after: Task;
}

/** Fields that neither edges nor the right to claim depend on. */
const plain: ReadonlySet<string> = new Set(["subject", "description", "activeForm"]);

export const demand = ({ files }: Pick<Surroundings, "files">, id: string): Task =>
  taskIn(files.get(id), id, (one) => `task ${one}`);

/** The ids that a change names at the other ends of edges: to add, and all. */
export function namedBy(change: TaskChange): { readonly added: readonly string[]; readonly all: readonly string[] } {
  const added = [...(change.addBlocks ?? []), ...(change.addBlockedBy ?? [])];
  return { added, all: [...added, ...(change.removeBlocks ?? []), ...(change.removeBlockedBy ?? [])] };
}

/** Changes a task with what is tied to it, or throws and changes nothing. */
export async function changeTask(rows: TaskRows, id: string, change: TaskChange): Promise<Changed> {
  const { codec } = rows;
  if (Object.keys(change).every((field) => plain.has(field))) {
    const held = await holdTask(rows, id);
    const files = new Map(held && [[id, held.file]]);
    const before = demand({ files }, id);
    await writeTasks(rows, { files }, changedTasks(id, change, [...files.values()], codec));
    return { before, after: demand({ files }, id) };
  }
  await holdList(rows);
  const { added, all } = namedBy(change);
  const around = await surroundingsOf(rows, [id, ...all]);
  const before = demand(around, id);
  for (const one of added) demand(around, one);
  // A circle can lead through any task of the list.
  if (added.length > 0) planChange(id, change, await allFiles(rows), codec);
  const { ids, blockers, neighbours } = planChange(id, change, [...around.files.values()], codec);
  const look = (one: string) => around.files.get(one);
  if (change.status === "in_progress") assertStartable(before, blockers.map(look));
  const changed = changedTasks(
    id,
    change,
    ids.flatMap((one) => look(one) ?? []),
    codec,
  );
  await writeTasks(rows, around, changed);
  const after = demand(around, id);
  if (change.status === "completed" && codec.unblocksOnDisk)
    await takeOut(rows, around, id, [...neighbours, ...(after.blocks ?? [])], ["blockedBy"]);
  await markReady(rows, around);
  return { before, after };
}

/** Removes a task and what names it; undefined when there is none. */
export async function removeTask(rows: TaskRows, id: string): Promise<Task | undefined> {
  await holdList(rows);
  const around = await surroundingsOf(rows, [id]);
  if (!isThere(around.files.get(id))) return undefined;
  const gone = demand(around, id);
  const named = [...neighboursOf(id, [...around.files.values()]), ...(gone.blocks ?? []), ...(gone.blockedBy ?? [])];
  await removeRow(rows, id);
  around.files.delete(id);
  await takeOut(rows, around, id, named, ["blocks", "blockedBy"]);
  await markReady(rows, around);
  return gone;
}

/** Removes an id that is done or gone from the tasks that name it. */
async function takeOut(
  rows: TaskRows,
  around: Surroundings,
  id: string,
  named: readonly string[],
  sides: readonly ("blocks" | "blockedBy")[],
): Promise<void> {
  const documents = named.flatMap((other) => {
    const document = other === id ? undefined : withoutTask(around.files.get(other), id, sides, rows.codec);
    return document ? [[other, document] as const] : [];
  });
  await writeTasks(rows, around, new Map(documents));
}
