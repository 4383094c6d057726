import { existsSync, mkdirSync } from "node:fs";
import { isInternal, type Read, type Task, TroupeError } from "@troupe/protocol";
import { isThere } from "@troupe/protocol/rules";
import { publish, readNamedFile, withLocks } from "@troupe/store/files";
import { changeTask, removeTask } from "../task-change.ts";
import {
  fileOf,
  holdList,
  markReady,
  type Surroundings,
  surroundingsOf,
  type TaskRows,
  writeTasks,
} from "../task-rows.ts";
import type { Link } from "./link.ts";
import { type Doc, isMark, type Merged, markOf } from "./task-merge.ts";

/** A task in the files. */
export interface FileSide {
  readonly text: string;
  readonly doc: Doc;
}

/**
 * Undefined for what is not there, is removed, or is another client's own; throws for a bad one.
 */
export function fileSide({ layout, codec }: Link, id: string): FileSide | undefined {
  const path = layout.task(id);
  if (!existsSync(path)) return undefined;
  const text = new TextDecoder().decode(readNamedFile(path));
  const doc = docIn(codec.readTask(text, id), path);
  return doc && { text, doc };
}

function docIn(read: Read<Task>, path: string): Doc | undefined {
  if (!read.value || !read.isWritable) throw new TroupeError("document_unreadable", `${path} cannot be read: mend it`);
  const isOurs = read.value.status !== "deleted" && !isInternal(read.value);
  return isOurs ? (read.raw as Doc) : undefined;
}

/**
 * Writes a task where the file is still as it was seen; false where somebody was faster. Claims
 * take the same locks.
 */
export function writeFile(link: Link, id: string, seen: string | undefined, doc: Doc): Promise<boolean> {
  const { layout, codec } = link;
  mkdirSync(layout.tasks, { recursive: true, mode: 0o700 });
  return withLocks([layout.taskLock, layout.task(id)], (held) => {
    const path = layout.task(id);
    const now = existsSync(path) ? new TextDecoder().decode(readNamedFile(path)) : undefined;
    if (now !== seen) return false;
    publish(held, path, codec.write(doc));
    return true;
  });
}

/** A task in the database: gone where it was removed, undefined where it never was. */
export async function sharedSide(link: Link, id: string): Promise<Doc | "gone" | undefined> {
  const { database, row, codec } = link;
  const one = "select doc::text, is_gone as gone from task where list = $1 and id = $2";
  const [found] = await database.query<{ doc: string; gone: boolean }>(one, [row.list, id]);
  if (!found) return undefined;
  const { read } = fileOf(codec, { id, doc: found.doc });
  return found.gone ? "gone" : docIn(read, `task ${id} in the database`);
}

/** The list is held, and with it this task: undefined where it is gone. */
export async function holdShared(rows: TaskRows, id: string): Promise<{ around: Surroundings; doc: Doc } | undefined> {
  await holdList(rows);
  const around = await surroundingsOf(rows, [id]);
  const file = around.files.get(id);
  if (!isThere(file) || !file.read.value || !file.read.isWritable) return undefined;
  return { around, doc: file.read.raw as Doc };
}

const plain = new Set(["subject", "description", "activeForm", "owner", "status", "createdAt", "updatedAt"]);

/** Makes these changes while the list is held. */
export async function applyChange(rows: TaskRows, id: string, merged: Merged): Promise<void> {
  const own = [...merged.fields].filter(([field]) => plain.has(field));
  const { addBlocks, addBlockedBy, removeBlocks, removeBlockedBy } = merged;
  const change = { ...Object.fromEntries(own), addBlocks, addBlockedBy, removeBlocks, removeBlockedBy };
  await changeTask(rows, id, change);
  const more = [...merged.fields].filter(([field]) => !plain.has(field));
  if (more.length === 0) return;
  const around = await surroundingsOf(rows, [id]);
  const file = around.files.get(id);
  if (file) await writeTasks(rows, around, new Map([[id, rows.codec.amendTask(file.read, Object.fromEntries(more))]]));
}

/** Gives the task no owner, or this mark, while the list is held. */
export async function setMark(
  rows: TaskRows,
  around: Surroundings,
  id: string,
  mark: string | undefined,
): Promise<void> {
  const file = around.files.get(id);
  if (file) await writeTasks(rows, around, new Map([[id, rows.codec.amendTask(file.read, { owner: mark })]]));
  await markReady(rows, around);
}

/** Adds a task of the files, without its edges; false where its id was given to another. */
export async function addShared(link: Link, rows: TaskRows, id: string, doc: Doc): Promise<boolean> {
  await holdList(rows);
  const there = "select from task where list = $1 and id = $2";
  if ((await rows.transaction.query(there, [rows.list, id])).length > 0) return false;
  const isFree = doc["status"] === "pending" && (!doc["owner"] || isMark(doc["owner"]));
  const owner = isFree ? { owner: markOf(link.host) } : {};
  const files: Surroundings["files"] = new Map();
  await writeTasks(rows, { files }, new Map([[id, { ...doc, ...owner, blocks: [], blockedBy: [] }]]));
  if (isFree) await offer(rows, id, link.host);
  return true;
}

/** Notes that clients of this host's files may claim the task. */
export const offer = ({ transaction, list }: TaskRows, id: string, host: string) =>
  transaction.query(
    `insert into bridge_offer (list, task, host) values ($1, $2, $3)
     on conflict (list, task) do update set host = excluded.host, since = clock_timestamp(), wanted_by = null`,
    [list, id, host],
  );

export const endOffer = ({ transaction, list }: TaskRows, id: string) =>
  transaction.query("delete from bridge_offer where list = $1 and task = $2", [list, id]);

export async function removeShared(rows: TaskRows, id: string): Promise<void> {
  await removeTask(rows, id);
  await endOffer(rows, id);
}
