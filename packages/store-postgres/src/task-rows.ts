import { type Codec, isTaskId, isTroupeError, type Read, type Task } from "@troupe/protocol";
import { inOrder, readyAmong, type TaskFile } from "@troupe/protocol/rules";
import { only, type Transaction } from "./database.ts";

/** A list of tasks within a transaction. */
export interface TaskRows {
  readonly transaction: Transaction;
  readonly list: string;
  readonly codec: Codec;
  /** To be called when a task is written: it wakes those that watch the team. */
  readonly wake: () => void;
}

export interface TaskRow {
  readonly id: string;
  readonly doc: string;
}

/** The tasks that concern a change, and which of them are known with all their edges. */
export interface Surroundings {
  readonly files: Map<string, TaskFile>;
  /** Of these, and of none else, it can be told whether they are ready. */
  readonly inner: ReadonlySet<string>;
}

export const fileOf = (codec: Codec, { id, doc }: TaskRow): TaskFile => ({ id, read: codec.readTask(doc, id) });

/** Waits until nobody else changes edges, states or ids of the list, until the transaction ends. */
export async function holdList({ transaction: { query }, list }: TaskRows): Promise<void> {
  await query("select from task_list where id = $1 for update", [list]);
}

/**
 * While the list is held: an id that was never given before, nor set apart for the files of a host.
 */
export async function nextTaskId({ transaction: { query }, list }: TaskRows): Promise<string> {
  const next = `update task_list set next_task = 1 + greatest(next_task,
      (select max(last) + 1 from bridge_ids where list = $1 and first <= next_task))
    where id = $1 returning next_task - 1 as id`;
  return only(await query<{ id: string }>(next, [list])).id;
}

/** All that stand in the list, in order. */
export async function allFiles({ transaction: { query }, list, codec }: TaskRows): Promise<TaskFile[]> {
  const all = "select id, doc::text from task where list = $1 and not is_gone order by id";
  return (await query<TaskRow>(all, [list])).map((row) => fileOf(codec, row));
}

/** One task, which nobody else changes until the transaction ends. */
export async function holdTask(
  { transaction: { query }, list, codec }: TaskRows,
  id: string,
): Promise<{ readonly file: TaskFile; readonly isReady: boolean } | undefined> {
  if (!isTaskId(id)) return undefined;
  const [row] = await query<TaskRow & { is_ready: boolean }>(
    "select id, doc::text, is_ready from task where list = $1 and id = $2 and not is_gone for update",
    [list, id],
  );
  return row && { file: fileOf(codec, row), isReady: row.is_ready };
}

/**
 * These tasks, those at the other ends of their edges, and those at the ends of theirs. Nobody else
 * changes them until the transaction ends; the list must be held before, or two could wait for each
 * other.
 */
export async function surroundingsOf(rows: TaskRows, ids: Iterable<string>): Promise<Surroundings> {
  const { transaction, list, codec } = rows;
  const inner = new Set([...inOrder(ids), ...(await neighboursOf(rows, inOrder(ids)))]);
  const outer = new Set([...inner, ...(await neighboursOf(rows, [...inner]))]);
  const found = await transaction.query<TaskRow>(
    "select id, doc::text from task where list = $1 and id = any($2::bigint[]) and not is_gone order by id for update",
    [list, [...outer]],
  );
  return { files: new Map(found.map((row) => [row.id, fileOf(codec, row)])), inner };
}

async function neighboursOf({ transaction, list }: TaskRows, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const found = await transaction.query<{ id: string }>(
    `select other as id from task_edge where list = $1 and task = any($2::bigint[])
     union select task from task_edge where list = $1 and other = any($2::bigint[])`,
    [list, ids],
  );
  return found.map(({ id }) => id);
}

/** Writes these documents, and what they say of edges; the surroundings show them from then on. */
export async function writeTasks(
  { transaction: { query }, list, codec, wake }: TaskRows,
  { files }: Pick<Surroundings, "files">,
  documents: ReadonlyMap<string, object>,
): Promise<void> {
  wake();
  for (const [id, document] of documents) {
    const doc = codec.write(document);
    const [before, after] = [files.get(id), fileOf(codec, { id, doc })];
    await query(before ? updated : inserted, [list, id, doc, asTakenOf(codec, after.read)]);
    files.set(id, after);
    const ends = othersIn(after.read.value);
    if (ends.join() === othersIn(before?.read.value).join()) continue;
    await query("delete from task_edge where list = $1 and task = $2", [list, id]);
    await query("insert into task_edge (list, task, other) select $1, $2, other from unnest($3::bigint[]) as other", [
      list,
      id,
      ends,
    ]);
  }
}

/** What a free task is once it is taken, before and after its owner's name; null for any other. */
export function asTakenOf(codec: Codec, read: Read<Task>): readonly string[] | null {
  if (read.value?.status !== "pending" || read.value.owner) return null;
  const somebody = crypto.randomUUID();
  try {
    const halves = codec.write(codec.amendTask(read, { owner: somebody, status: "in_progress" })).split(somebody);
    return halves.length === 2 ? halves : null;
  } catch (error) {
    if (!isTroupeError(error)) throw error;
    return null;
  }
}

/** A task that could be claimed becomes somebody's: of this list and id, with this document. */
export const markTaken = `update task set doc = $3, as_taken = null, is_ready = false, changed_at = clock_timestamp(),
  changed = pg_current_xact_id() where list = $1 and id = $2`;

const inserted = `insert into task (list, id, doc, as_taken, is_ready, changed_at, changed)
  values ($1, $2, $3, $4, false, clock_timestamp(), pg_current_xact_id())`;
const updated = `update task set doc = $3, as_taken = $4, changed_at = clock_timestamp(), changed = pg_current_xact_id()
  where list = $1 and id = $2`;

const othersIn = ({ blocks = [], blockedBy = [] }: Partial<Task> = {}): string[] => inOrder([...blocks, ...blockedBy]);

/** A removed task: its row stays, its edges go. */
export async function removeRow({ transaction: { query }, list, wake }: TaskRows, id: string): Promise<void> {
  wake();
  await query(
    `update task set is_gone = true, is_ready = false, changed_at = clock_timestamp(), changed = pg_current_xact_id()
     where list = $1 and id = $2`,
    [list, id],
  );
  await query("delete from task_edge where list = $1 and task = $2", [list, id]);
}

/** Marks which of the tasks can be claimed, as they stand in their surroundings now. */
export async function markReady(
  { transaction: { query }, list }: TaskRows,
  { files, inner }: Surroundings,
): Promise<void> {
  const ready = readyAmong([...files.values()]).map(({ id }) => id);
  await query(
    `update task set is_ready = (id = any($3::bigint[]))
     where list = $1 and id = any($2::bigint[]) and not is_gone and is_ready <> (id = any($3::bigint[]))`,
    [list, [...inner], ready],
  );
}
