import { lstatSync } from "node:fs";
import { setImmediate as yieldOnce } from "node:timers/promises";
import { type Codec, isTaskId, type Task, type TeamLayout, taskIdOf } from "@troupe/protocol";
import { defaultLimits, inOrder, type TaskFile, taskIn } from "@troupe/protocol/rules";
import { assertOwnBoth, namesIn } from "./directory.ts";
import { bytesOf, isHalf, type Look, settled, settleMs, tickOf, withFile } from "./document.ts";
import { type Held, withLocks } from "./lock.ts";
import { publish, type WriteOptions } from "./publication.ts";
import { openTaskIds } from "./task-ids.ts";

export interface TaskListDeps extends WriteOptions {
  readonly layout: TeamLayout;
  readonly codec: Codec;
}

/** The dependencies of every operation on tasks. */
export type TaskList = ReturnType<typeof openTaskList>;

/** Between so many files others get their turn. */
const batch = 256;

/** The files of a task list, parsed again only where they changed. */
export function openTaskList({ layout, codec, limits = defaultLimits, isDurable = false }: TaskListDeps) {
  const remembered = new Map<string, { readonly file: TaskFile; readonly look: Look; readonly ageMs: number }>();
  let written = 0;

  /** As it stands now, whatever is remembered of it; undefined where there is no such file. */
  function look(id: string): TaskFile | undefined {
    if (!isTaskId(id)) return undefined;
    assertOwnBoth(layout.tasks);
    return readNow(id);
  }

  /** Does the file look as it did when it was read last? A quick sign, and no proof. */
  function isAsSeen(id: string): boolean {
    const known = remembered.get(id)?.look;
    const now = known && lstatSync(layout.task(id), { throwIfNoEntry: false });
    return known?.ino === now?.ino && known?.size === now?.size && known?.mtimeMs === now?.mtimeMs;
  }

  function lookUnlessSame(id: string): TaskFile | undefined {
    const known = remembered.get(id);
    return known && known.ageMs > tickOf(known.look.mtimeMs) && isAsSeen(id) ? known.file : readNow(id);
  }

  /** A failure to read a file is a problem of that file alone. */
  function readNow(id: string): TaskFile | undefined {
    const path = layout.task(id);
    remembered.delete(id);
    const at = Date.now();
    try {
      return withFile(path, (open, look) => {
        const ageMs = at - look.mtimeMs;
        const file = { id, read: codec.readTask(bytesOf(path, open, look.size), id) };
        remembered.set(id, { file, look, ageMs });
        return file;
      });
    } catch (error) {
      const { message } = error as Error;
      const problem = { path: "", code: "document_malformed", message, fix: `make ${path} a readable file` } as const;
      return { id, read: { value: undefined, raw: undefined, problems: [problem], isWritable: false } };
    }
  }

  /** What stood for long as it is, or is no file that can be read, will not be completed. */
  const isUnsettled = (file: TaskFile | undefined) => {
    const seen = file && remembered.get(file.id);
    return seen !== undefined && seen.ageMs <= settleMs && isHalf(layout.task(seen.file.id), seen.file.read);
  };

  function present(): string[] {
    assertOwnBoth(layout.tasks);
    const found = namesIn(layout.tasks).flatMap((name) => taskIdOf(name) ?? []);
    if (remembered.size > found.length) {
      const kept = new Set(found);
      for (const id of remembered.keys()) if (!kept.has(id)) remembered.delete(id);
    }
    return inOrder(found);
  }

  return {
    layout,
    codec,
    isDurable,
    ids: openTaskIds(layout),
    look,
    isAsSeen,

    /** As `look`, but what looks torn is looked at again for a second. */
    read: (id: string) => settled(() => look(id), isUnsettled),

    /** Every file, in the order of ids. */
    lookAll: () => present().flatMap((id) => lookUnlessSame(id) ?? []),

    /**
     * As `lookAll`, but without stopping the thread for long, and what looks torn is looked at
     * again for a second.
     */
    async readAll(): Promise<TaskFile[]> {
      const files: TaskFile[] = [];
      for (const [n, id] of present().entries()) {
        if (n % batch === batch - 1) await yieldOnce();
        const file = lookUnlessSame(id);
        if (file) files.push(file);
      }
      if (!files.some(isUnsettled)) return files;
      const settle = (file: TaskFile) => (isUnsettled(file) ? settled(() => look(file.id), isUnsettled) : file);
      return (await Promise.all(files.map(settle))).filter((file) => file !== undefined);
    },

    /** Throws `task_unknown`, or `document_unreadable` for a file that must be left alone. */
    demand: (id: string, file = look(id)): Task => taskIn(file, id, layout.task),

    /**
     * Works while the locks of these tasks are held, and before them that of the list. Waits for
     * them for as long as it says.
     */
    async holding<T>(
      ids: readonly string[],
      scope: "tasks" | "list and tasks",
      work: (held: Held) => T,
      deadlineMs = limits.deadlineMs,
    ): Promise<T> {
      assertOwnBoth(layout.tasks);
      const files = inOrder(ids).map(layout.task);
      return withLocks(scope === "tasks" ? files : [layout.taskLock, ...files], work, { ...limits, deadlineMs });
    },

    write(held: Held, id: string, document: object): Task {
      const text = codec.write(document);
      publish(held, layout.task(id), text, isDurable);
      written += 1;
      return codec.readTask(text, id).value as Task;
    },

    /** The number of documents that this handle has written. */
    written: () => written,
  };
}
