import { lstatSync } from "node:fs";
import { setImmediate as yieldOnce } from "node:timers/promises";
import { type Codec, isTaskId, type Problem, type Read, type Task, type TeamLayout, taskIdOf } from "@troupe/protocol";
import { assertOwn, namesIn } from "./directory.ts";
import { bytesOf, tickOf, withFile } from "./document.ts";
import { pause } from "./pause.ts";

/** One task file as it was found. */
export interface TaskFile {
  readonly id: string;
  readonly read: Read<Task>;
}

/** The files of a task list, parsed again only where they changed. */
export interface TaskDirectory {
  /** As it stands now, whatever is remembered of it; undefined where there is no such file. */
  look(id: string): TaskFile | undefined;
  /** Does the file look as it did when it was read last? A quick sign, and no proof. */
  isAsSeen(id: string): boolean;
  /** As `look`, but what looks torn is looked at again for a second. */
  read(id: string): Promise<TaskFile | undefined>;
  /** Every file, in the order of ids. */
  lookAll(): TaskFile[];
  /** As `lookAll`, but without stopping the thread for long, and what looks torn is looked at again for a second. */
  readAll(): Promise<TaskFile[]>;
}

/** Clients that write in place show half a document for a moment, and never one that stood for as long as this. */
const tornMs = 1_000;
const looks = 20;
/** Between so many files others get their turn. */
const batch = 256;

interface Remembered {
  readonly file: TaskFile;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ageMs: number;
}

/** The task files of one team. */
export function openTaskDirectory(layout: TeamLayout, codec: Codec): TaskDirectory {
  const remembered = new Map<string, Remembered>();

  function look(id: string): TaskFile | undefined {
    if (!isTaskId(id)) return undefined;
    assertOwn(layout.tasks);
    return readNow(id);
  }

  function isAsSeen(id: string): boolean {
    const known = remembered.get(id);
    const stats = known && lstatSync(layout.task(id), { throwIfNoEntry: false });
    return known?.ino === stats?.ino && known?.size === stats?.size && known?.mtimeMs === stats?.mtimeMs;
  }

  function lookUnlessSame(id: string): TaskFile | undefined {
    const known = remembered.get(id);
    return known && known.ageMs > tickOf(known.mtimeMs) && isAsSeen(id) ? known.file : readNow(id);
  }

  /** What stops a file from being read is a problem of that file alone. */
  function readNow(id: string): TaskFile | undefined {
    const path = layout.task(id);
    remembered.delete(id);
    try {
      return withFile(path, (open, { ino, size, mtimeMs }) => {
        const ageMs = Date.now() - mtimeMs;
        const file = { id, read: codec.readTask(bytesOf(path, open, size), id) };
        remembered.set(id, { file, ino, size, mtimeMs, ageMs });
        return file;
      });
    } catch (error) {
      return { id, read: unreadable((error as Error).message, `make ${path} a readable file`) };
    }
  }

  async function settle(file: TaskFile | undefined): Promise<TaskFile | undefined> {
    let found = file;
    for (let n = 1; n < looks && found && isTorn(found); n += 1) {
      if ((remembered.get(found.id)?.ageMs ?? 0) > tornMs) break;
      await pause(tornMs / looks);
      found = look(found.id);
    }
    return found;
  }

  function ids(): string[] {
    const found = namesIn(layout.tasks).flatMap((name) => taskIdOf(name) ?? []);
    if (remembered.size > found.length) {
      const present = new Set(found);
      for (const id of remembered.keys()) if (!present.has(id)) remembered.delete(id);
    }
    return Array.from(Float64Array.from(found, Number).sort(), String);
  }

  return {
    look,
    isAsSeen,
    read: (id) => settle(look(id)),
    lookAll: () => ids().flatMap((id) => lookUnlessSame(id) ?? []),
    async readAll() {
      const files: TaskFile[] = [];
      for (const [n, id] of ids().entries()) {
        if (n % batch === batch - 1) await yieldOnce();
        const file = lookUnlessSame(id);
        if (file) files.push(file);
      }
      if (!files.some(isTorn)) return files;
      const settled = await Promise.all(files.map((file) => (isTorn(file) ? settle(file) : file)));
      return settled.filter((file) => file !== undefined);
    },
  };
}

function unreadable(message: string, fix: string): Read<Task> {
  const problem: Problem = { path: "", code: "document_malformed", message, fix };
  return { value: undefined, raw: undefined, problems: [problem], isWritable: false };
}

const isTorn = ({ read }: TaskFile): boolean => read.problems.some(({ code }) => code === "document_torn");
