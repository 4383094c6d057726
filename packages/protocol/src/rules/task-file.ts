import type { Read } from "../revisions/read.ts";
import { isClaimable, isInternal, openBlockersOf, type Task } from "../task.ts";

/** One file of a task list as it was found. */
export interface TaskFile {
  readonly id: string;
  readonly read: Read<Task>;
}

/** A task that can be claimed, with the tasks recorded as its blockers: all of them are done. */
export interface ReadyTask {
  readonly id: string;
  readonly blockers: readonly string[];
  readonly task: Task;
}

/** A tombstone is no task any more; its id stays given. */
export const isThere = (file: TaskFile | undefined): file is TaskFile =>
  file !== undefined && file.read.value?.status !== "deleted";

/** Must others wait for it? Nobody knows what a file that cannot be read says, so they must. */
export const isOpen = (file: TaskFile | undefined): file is TaskFile =>
  isThere(file) && file.read.value?.status !== "completed";

/** Must this task wait for the other? An edge that stands on one side only is an edge. */
export function holdsUp(blocker: TaskFile | undefined, { id, blockedBy }: Task): boolean {
  if (!isOpen(blocker)) return false;
  const { value } = blocker.read;
  return !value || (blockedBy?.includes(blocker.id) ?? false) || (value.blocks?.includes(id) ?? false);
}

/** The tasks that can be read, by their ids. */
export const tasksOf = (files: readonly TaskFile[]): Map<string, Task> =>
  new Map(files.flatMap(({ id, read: { value } }) => (value ? [[id, value]] : [])));

/**
 * What a list shows, including unreadable files; tombstones and other clients' bookkeeping are
 * omitted.
 */
export const listedAmong = (files: readonly TaskFile[]): TaskFile[] =>
  files.filter((file) => isThere(file) && !(file.read.value && isInternal(file.read.value)));

/**
 * The tasks that can be claimed, lowest id first. A file that must not be rewritten cannot be
 * claimed.
 */
export function readyAmong(files: readonly TaskFile[]): ReadyTask[] {
  const tasks = tasksOf(files);
  const unreadable = files.filter(({ read }) => !read.value).map(({ id }) => id);
  const open = openBlockersOf([...tasks.values()], unreadable);
  const named = new Map<string, string[]>();
  for (const { id, blocks = [] } of tasks.values())
    for (const waiting of blocks) named.set(waiting, [...(named.get(waiting) ?? []), id]);
  return files.flatMap(({ id, read: { value: task, isWritable } }) =>
    task && isWritable && isClaimable(task, open.get(id)) ? [{ id, blockers: named.get(id) ?? [], task }] : [],
  );
}
