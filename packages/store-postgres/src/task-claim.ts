import type { Read, Task } from "@troupe/protocol";
import { type Claim, holdsUp, isThere, refusalOf, released, taskIn } from "@troupe/protocol/rules";
import type { Transaction } from "./database.ts";
import { demand } from "./task-change.ts";
import {
  fileOf,
  holdList,
  holdTask,
  markReady,
  surroundingsOf,
  type TaskRow,
  type TaskRows,
  writeTasks,
} from "./task-rows.ts";

/**
 * Takes one task that nothing stands in the way of, or says why not; undefined where that takes a
 * look at the list, which `claimHeld` has.
 */
export async function claimFree(rows: TaskRows, id: string, agent: string): Promise<Claim | undefined> {
  const held = await holdTask(rows, id);
  if (!held || !isThere(held.file)) return { outcome: "absent" };
  const task = taskIn(held.file, id, (one) => `task ${one}`);
  const refusal = refusalOf(task, agent);
  if (refusal) return refusal;
  return held.isReady ? { outcome: "claimed", task: take(rows, held.file.read, id, agent) } : undefined;
}

/** The same while the list is held: sees what the task waits for. */
export async function claimHeld(rows: TaskRows, id: string, agent: string): Promise<Claim> {
  await holdList(rows);
  const around = await surroundingsOf(rows, [id]);
  const file = around.files.get(id);
  if (!isThere(file)) return { outcome: "absent" };
  const task = demand(around, id);
  const refusal = refusalOf(task, agent);
  if (refusal) return refusal;
  const by = [...around.files.values()].filter((other) => holdsUp(other, task)).map((other) => other.id);
  if (by.length > 0) return { outcome: "blocked", by };
  return { outcome: "claimed", task: take(rows, file.read, id, agent) };
}

/** The lowest task that can be claimed and that nobody else is taking, or is waited for. */
export const nextReady = async (
  { query }: Transaction,
  list: string,
  wait: "skip locked" | "",
): Promise<TaskRow | undefined> =>
  (
    await query<TaskRow>(
      `select id, doc::text from task where list = $1 and is_ready order by id limit 1 for update ${wait}`,
      [list],
    )
  )[0];

/**
 * Takes this task, or the next one after all where there was none to be had. Where all of them are
 * in use by others, it waits for one: what is in use may be free again.
 */
export async function claimNext(rows: TaskRows, agent: string, first: TaskRow | undefined): Promise<Task | undefined> {
  const { transaction, list, codec } = rows;
  for (let row = first; ; row = await nextReady(transaction, list, "")) {
    if (row) return take(rows, fileOf(codec, row).read, row.id, agent);
    // One that was waited for and taken by another hides those behind it.
    if (!(await isAnyReady(rows))) return undefined;
  }
}

const isAnyReady = async ({ transaction, list }: TaskRows): Promise<boolean> =>
  (await transaction.query("select from task where list = $1 and is_ready limit 1", [list])).length > 0;

function take(rows: TaskRows, read: Read<Task>, id: string, agent: string): Task {
  const { transaction, list, codec, wake } = rows;
  wake();
  const doc = codec.write(codec.amendTask(read, { owner: agent, status: "in_progress" }));
  transaction.atCommit(
    `update task set doc = $3, is_ready = false, changed_at = clock_timestamp(), changed = pg_current_xact_id()
     where list = $1 and id = $2`,
    [list, id, doc],
  );
  return codec.readTask(doc, id).value as Task;
}

/** Gives an unfinished task back; false when there was nothing to do. */
export async function releaseTask(rows: TaskRows, id: string, agent: string | undefined): Promise<boolean> {
  await holdList(rows);
  const around = await surroundingsOf(rows, [id]);
  const file = around.files.get(id);
  const patch = isThere(file) && released(demand(around, id), agent);
  if (!patch) return false;
  await writeTasks(rows, around, new Map([[id, rows.codec.amendTask(file.read, patch)]]));
  await markReady(rows, around);
  return true;
}
