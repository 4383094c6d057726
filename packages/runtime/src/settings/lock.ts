import { lstatSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { lockOf, TroupeError } from "@troupe/protocol";

/** A lock this old was left behind; other programs go by the same age. */
const staleMs = 10_000;

/** How long this thread, which does nothing else meanwhile, waits for somebody who writes a few bytes. */
const deadlineMs = 1_000;

/** Tells one lock from the next under the same name. */
interface Mark {
  readonly ino: number;
  readonly mtimeMs: number;
}

/**
 * Runs the work while no other program has the lock beside this file. `isHeld` turns false when the work took so long that somebody took the
 * lock over.
 */
export function whileLocked<T>(file: string, work: (isHeld: () => boolean) => T): T {
  const lock = lockOf(file);
  mkdirSync(dirname(file), { recursive: true });
  const mark = take(lock);
  const isHeld = () => isSame(markOf(lock), mark);
  try {
    return work(isHeld);
  } finally {
    if (isHeld()) remove(lock);
  }
}

function take(lock: string): Mark {
  const start = performance.now();
  for (;;) {
    const mark = made(lock) ? markOf(lock) : undefined;
    if (mark) return mark;
    if (isStale(lock)) removeStale(lock);
    if (performance.now() - start > deadlineMs)
      throw new TroupeError("lock_unavailable", `another program has ${lock}: try again`, { lock });
    Atomics.wait(never, 0, 0, 0.1 + Math.random() / 2);
  }
}

/** One program at a time removes what was left behind, and looks again, since the lock may be a new one by then. */
function removeStale(lock: string): void {
  const guard = `${lock}.break`;
  const isFirst = made(guard);
  if (isFirst && isStale(lock)) remove(lock);
  if (isFirst || isStale(guard)) remove(guard);
}

const remove = (path: string): void => rmSync(path, { recursive: true, force: true });

function made(directory: string): boolean {
  try {
    mkdirSync(directory);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

const markOf = (path: string): Mark | undefined => lstatSync(path, { throwIfNoEntry: false });

const isSame = (one: Mark | undefined, other: Mark): boolean => one?.ino === other.ino && one.mtimeMs === other.mtimeMs;

/** A clock that was set back makes a lock look as if it came from the future. */
const isStale = (path: string): boolean => Math.abs(Date.now() - (markOf(path)?.mtimeMs ?? Date.now())) > staleMs;

const never = new Int32Array(new SharedArrayBuffer(4));
