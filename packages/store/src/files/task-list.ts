import { type Codec, isTaskId, type Task, type TeamLayout, TroupeError } from "@troupe/protocol";
import { inOrder } from "./edges.ts";
import { defaultLimits, type Held, type LockLimits, withLocks } from "./lock.ts";
import { publish } from "./publication.ts";
import { openTaskDirectory, type TaskDirectory, type TaskFile } from "./task-directory.ts";

export interface TaskListDeps {
  readonly layout: TeamLayout;
  readonly codec: Codec;
  readonly limits?: LockLimits;
  /** Survive a power cut, not only the death of this process. */
  readonly isDurable?: boolean;
}

/** The locks of several files, by the path of the file. */
export type Locks = ReadonlyMap<string, Held>;

/** What every operation on tasks works with. */
export interface TaskList {
  readonly layout: TeamLayout;
  readonly codec: Codec;
  readonly isDurable: boolean;
  readonly directory: TaskDirectory;
  /** How many documents this handle has written. */
  readonly written: () => number;
  /** Works while the locks of these tasks are held, and before them that of the list. Waits for them for as long as it says. */
  holding<T>(
    ids: Iterable<string>,
    scope: "tasks" | "list and tasks",
    work: (locks: Locks) => T,
    deadlineMs?: number,
  ): Promise<T>;
  write(locks: Locks, id: string, document: object): Task;
  /** Throws `task_unknown`, or `document_unreadable` for a file that must be left alone. */
  demand(id: string, file?: TaskFile): TaskFile & { readonly task: Task };
}

export function openTaskList({ layout, codec, limits = defaultLimits, isDurable = false }: TaskListDeps): TaskList {
  const directory = openTaskDirectory(layout, codec);
  let written = 0;
  return {
    layout,
    codec,
    isDurable,
    directory,
    written: () => written,

    holding(ids, scope, work, deadlineMs = limits.deadlineMs) {
      const files = inOrder(ids).map((id) => layout.task(id));
      return withLocks(scope === "tasks" ? files : [layout.taskLock, ...files], work, { ...limits, deadlineMs });
    },

    write(locks, id, document) {
      const path = layout.task(id);
      const text = codec.write(document);
      publish(locks.get(path) as Held, path, text, isDurable);
      written += 1;
      return codec.readTask(text, id).value as Task;
    },

    demand(id, file = directory.look(id)) {
      if (!isThere(file)) {
        const message = `there is no task ${isTaskId(id) ? id : JSON.stringify(id)}: list the tasks for their ids`;
        throw new TroupeError("task_unknown", message, { id });
      }
      const { value: task, problems } = file.read;
      if (task) return { ...file, task };
      const path = layout.task(id);
      const message = `${path} cannot be read and is left as it is: ${problems[0]?.message ?? "it is no task"}`;
      throw new TroupeError("document_unreadable", message, { path, problems });
    },
  };
}

/** A tombstone is no task any more; its id stays given. */
export const isThere = (file: TaskFile | undefined): file is TaskFile =>
  file !== undefined && file.read.value?.status !== "deleted";

/** Must others wait for it? Nobody knows what a file that cannot be read says, so they must. */
export const isOpen = (file: TaskFile | undefined): boolean => isThere(file) && file.read.value?.status !== "completed";

/** The tasks that can be read, by their ids. */
export const tasksOf = (files: readonly (TaskFile | undefined)[]): Map<string, Task> =>
  new Map(files.flatMap((file) => (file?.read.value ? [[file.id, file.read.value]] : [])));
