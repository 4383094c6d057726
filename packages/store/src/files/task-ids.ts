import { isTaskId, nextId, type TeamLayout, taskIdOf } from "@troupe/protocol";
import { changeOf, isPresent, namesIn } from "./directory.ts";
import { readBytes } from "./document.ts";
import type { Held } from "./lock.ts";
import { publish } from "./publication.ts";

/** Below this many names a look through them costs less than the write it is for. */
const manyNames = 500;

/**
 * The ids that were given. It is enough to look before the lock is held, and then upwards only:
 * every writer, also of another make, holds the lock while it gives the id after the highest, and
 * raises the mark before a file goes. So above the highest id of an earlier look each id is a file
 * or is not above the mark. A file that another program drops in beside the protocol changes the
 * directory and is seen at the next survey; one that came in the instant of our own change is still
 * never overwritten, only its number is not jumped to.
 */
export function openTaskIds(layout: TeamLayout) {
  let known = { highest: 0, mtimeMs: Number.NaN, isMany: false };

  /** Never gives less than was known, nor more than is given. */
  function highest(): number {
    let id = Math.max(known.highest, readMark(layout));
    while (isTaskId(String(id + 1)) && isPresent(layout.task(String(id + 1)))) id += 1;
    known.highest = id;
    return id;
  }

  return {
    /**
     * Before the lock of the list is asked for: a look through the names, where there is no telling
     * that they are as they were.
     */
    survey() {
      const mtimeMs = changeOf(layout.tasks);
      if (known.isMany && known.mtimeMs === mtimeMs) return;
      const names = namesIn(layout.tasks);
      const ids = names.map((name) => Number(taskIdOf(name) ?? 0));
      known = { highest: ids.reduce((a, b) => Math.max(a, b), 0), mtimeMs, isMany: names.length > manyNames };
    },
    /** Under the lock: the id after every one that was ever given. */
    next: () => nextId([], highest()),
    /** Under the lock: this id is given, whether or not its file will ever be there. */
    reserve(held: Held, id: string, isDurable: boolean) {
      if (Number(id) > readMark(layout)) publish(held, layout.highWaterMark, id, isDurable);
    },
    /**
     * Under the lock, before a file is removed: its id will be found given also when no file says
     * so.
     */
    keepMark(held: Held, isDurable: boolean) {
      const mark = highest();
      if (mark > readMark(layout)) publish(held, layout.highWaterMark, String(mark), isDurable);
    },
    /** After the lock was given up: this was the last change of the directory. */
    settle() {
      known.mtimeMs = changeOf(layout.tasks);
    },
  };
}

function readMark({ highWaterMark }: TeamLayout): number {
  const text = new TextDecoder().decode(readBytes(highWaterMark));
  return Number(/^\s*([0-9]{1,15})\s*$/.exec(text)?.[1] ?? 0);
}
