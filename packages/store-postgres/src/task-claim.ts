import { agentName, type Codec, type Read, type Task } from "@troupe/protocol";
import { type Claim, holdsUp, isThere, refusalOf, released, taskIn } from "@troupe/protocol/rules";
import { taskEvent } from "@troupe/store/engine";
import type { Transaction } from "./database.ts";
import { demand } from "./task-change.ts";
import { holdList, holdTask, markReady, markTaken, surroundingsOf, type TaskRows, writeTasks } from "./task-rows.ts";

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

/** A list, with the team of which it is as that was seen last. */
export interface Standing {
  readonly list: string;
  readonly team?: { readonly id: string; readonly changed: string };
}

/**
 * Takes the lowest task that can be claimed, in one statement; undefined, and nothing is done,
 * where the team was changed since.
 */
export async function takeNext(
  { query }: Transaction,
  codec: Codec,
  { list, team }: Standing,
  agent: string,
  by: string | undefined,
): Promise<{ readonly task?: Task | undefined; readonly untold?: string } | undefined> {
  const mark = crypto.randomUUID();
  const [row] = await query<{ id: string | null; doc: string; is_taken: boolean }>(
    "select id, doc, is_taken from claim_next($1, $2, $3, $4, $5, $6, $7)",
    [
      list,
      team?.id,
      team?.changed,
      JSON.stringify(agentName(agent)).slice(1, -1),
      mark,
      by,
      JSON.stringify(taskEvent({ id: mark, status: "in_progress", owner: agent })),
    ],
  );
  if (!row) return undefined;
  if (row.id === null) return {};
  return row.is_taken ? { task: codec.readTask(row.doc, row.id).value } : { untold: row.id };
}

/** Takes this task if it can still be claimed: the row of one may not say what it is once taken. */
export async function takeUntold(rows: TaskRows, id: string, agent: string): Promise<Task | undefined> {
  const held = await holdTask(rows, id);
  return held?.isReady ? take(rows, held.file.read, id, agent) : undefined;
}

function take(rows: TaskRows, read: Read<Task>, id: string, agent: string): Task {
  const { transaction, list, codec, wake } = rows;
  wake();
  const doc = codec.write(codec.amendTask(read, { owner: agent, status: "in_progress" }));
  transaction.atCommit(markTaken, [list, id, doc]);
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
