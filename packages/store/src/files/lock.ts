import { lstatSync, mkdirSync, rmdirSync, rmSync, utimesSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { lockOf, TroupeError } from "@troupe/protocol";
import {
  assertGiven,
  assertLimits,
  defaultLimits,
  type LockLimits,
  leftoverOf,
  lockUnavailable,
  temporaryOf,
} from "@troupe/protocol/rules";
import { assertOwn, codeOf, namesIn, unlessAbsent } from "./directory.ts";

/** Locks that are held together for the length of one synchronous piece of work. */
export interface Held {
  /**
   * The one temporary file from which the target may be published: that of its own lock, or of the
   * first where the target has none. A process that takes the lock over removes it first.
   */
  temporaryFor(target: string): string;
  /** Throws `lock_lost` when another process took a lock over. Asked last before publishing. */
  assertHeld(): void;
}

/**
 * Tells one creation of the lock directory from others: a directory's number is given out again.
 */
interface Mark {
  readonly ino: number;
  readonly mtimeMs: number;
}

/** The marks of the locks that were created for these files. */
type Marks = ReadonlyMap<string, Mark>;

/** The time by which a lock may look older than it is. */
const ownMs = 50;

/** The waiters of this process by file: one at a time goes to the disk, in the order of asking. */
const queues = new Map<string, Promise<unknown>>();
/** Until when this process leaves a contended lock to others: greedy waiting starves them. */
const leaveUntil = new Map<string, number>();

/**
 * Runs the work while no other caller holds the lock of this file, in this process or another, of
 * Troupe or not. The work is synchronous, so that a lock is held for no longer than it takes:
 * others give up after 0.7 seconds.
 */
export async function withLock<T>(file: string, work: (held: Held) => T, limits?: LockLimits): Promise<T> {
  assertGiven("withLock", { file, work, limits }, { file: "path", work: "function", limits: "object?" });
  return withLocks([file], work, limits);
}

/**
 * The same for several files at once. None is held while another is waited for, so that two callers
 * that want the same files in different orders never wait for each other, and an abandoned lock
 * delays only those that need it.
 */
export async function withLocks<T>(
  files: readonly string[],
  work: (held: Held) => T,
  limits: LockLimits = defaultLimits,
): Promise<T> {
  assertGiven("withLocks", { files, work, limits }, { files: "array", work: "function", limits: "object" });
  for (const file of files) assertGiven("withLocks", { file }, { file: "path" });
  assertLimits(limits);
  const turn = Promise.all(files.map((file) => queues.get(file))).then(() => holdOnce(files, work, limits));
  const settled = turn.catch(() => undefined);
  for (const file of files) queues.set(file, settled);
  void settled.then(() => {
    for (const file of files) if (queues.get(file) === settled) queues.delete(file);
  });
  return turn;
}

/**
 * The same where nothing can be awaited, such as in opening a session: until the lock is free this
 * thread does nothing else, so that the deadline should be short.
 */
export function withLockNow<T>(file: string, work: (held: Held) => T, limits: LockLimits): T {
  assertGiven("withLockNow", { file, work, limits }, { file: "path", work: "function", limits: "object" });
  assertLimits(limits);
  for (const start = performance.now(); ; nap(0.1 + Math.random() / 2)) {
    const made = makeAll([file], limits);
    if (typeof made !== "string") return under(made, work);
    const mark = markOf(lockOf(file));
    if (!mark || (ageOf(mark) > limits.staleMs && breakStale(file, mark, limits))) continue;
    if (performance.now() - start > limits.deadlineMs) throw lockUnavailable(file, ageOf(mark), limits);
  }
}

/** A lock that is kept over many pieces of work, for what only one may do at a time. */
export interface KeptLock {
  /** Tells this making of the lock from every other. */
  readonly mark: string;
  /** Throws `lock_lost` when another process took the lock over while this one was stopped. */
  assertHeld(): void;
  release(): void;
}

/** Waits for the lock of this file and keeps it, until it is released or this process dies. */
export async function takeLease(file: string, limits: LockLimits = defaultLimits): Promise<KeptLock> {
  assertGiven("takeLease", { file, limits }, { file: "path", limits: "object" });
  assertLimits(limits);
  let { marks } = await take([file], limits);
  const beat = setInterval(() => {
    const start = performance.now();
    if (!isSame(markOf(lockOf(file)), marks.get(file) as Mark)) return;
    const now = new Date();
    utimesSync(lockOf(file), now, now);
    const renewed = markOf(lockOf(file));
    // A process that was stopped in between for so long may have touched the lease of another.
    if (renewed && performance.now() - start < limits.staleMs) marks = new Map([[file, renewed]]);
  }, limits.staleMs / 4).unref();
  const { ino, mtimeMs } = marks.get(file) as Mark;
  return {
    mark: `${ino}-${mtimeMs}`,
    assertHeld: () => assertHeld(marks),
    release() {
      clearInterval(beat);
      giveUp(marks);
    },
  };
}

async function holdOnce<T>(files: readonly string[], work: (held: Held) => T, limits: LockLimits): Promise<T> {
  const rest = Math.max(...files.map((file) => leaveUntil.get(file) ?? 0)) - performance.now();
  if (rest > 1) await pause(rest);
  else if (rest > 0) nap(rest);
  for (const file of files) leaveUntil.delete(file);

  const { marks, contended } = await take(files, limits);
  const start = performance.now();
  try {
    return under(marks, work);
  } finally {
    const end = performance.now();
    for (const file of contended) leaveUntil.set(file, end + (end - start));
  }
}

/** Does the work under locks that were taken, the first file's first, and gives them up. */
function under<T>(marks: Marks, work: (held: Held) => T): T {
  const [first] = marks.keys();
  try {
    const temporaryFor = (target: string) => {
      const file = marks.has(target) ? target : (first as string);
      return preparedBy(file, marks.get(file) as Mark);
    };
    return work({ temporaryFor, assertHeld: () => assertHeld(marks) });
  } finally {
    giveUp(marks);
  }
}

function giveUp(marks: Marks): void {
  for (const [file, mark] of [...marks].reverse()) {
    // Taken over between the two: what was done under it is done.
    if (isSame(markOf(lockOf(file)), mark)) unlessAbsent(() => rmdirSync(lockOf(file)));
  }
}

/** All that one holder prepares ends alike, as all its locks have one time that no other has. */
const preparedBy = (file: string, { mtimeMs }: Mark): string => temporaryOf(file, Math.floor(mtimeMs * 1_000));

function assertHeld(marks: Marks): void {
  for (const [file, mark] of marks) {
    if (isSame(markOf(lockOf(file)), mark)) continue;
    const message = `the lock of ${file} was taken over while its holder was stopped; nothing was written: try again`;
    throw new TroupeError("lock_lost", message, { file });
  }
}

/** All the locks, and the files among them whose lock another process had when it was asked for. */
async function take(files: readonly string[], limits: LockLimits) {
  const start = performance.now();
  const contended = new Set<string>();
  for (;;) {
    const made = makeAll(files, limits);
    if (typeof made !== "string") return { marks: made, contended };
    contended.add(made);
    const left = await waitUntilFree(made, start, limits);
    if (!left || breakStale(made, left, limits)) continue;
    if (performance.now() - start > limits.deadlineMs) throw lockUnavailable(made, ageOf(left), limits);
    await pause(1 + Math.random() * 4);
  }
}

/** All locks or none; if none, the file whose lock another process has. */
function makeAll(files: readonly string[], limits: LockLimits): Marks | string {
  const marks = new Map<string, Mark>();
  // Two directories made within one tick of the clock may have the same number and the same time:
  // those of this holder get a time of their own.
  const own = (Date.now() - Math.random() * ownMs) / 1_000;
  try {
    for (const file of files) {
      const mark = make(file, own, limits);
      if (!mark) return file;
      marks.set(file, mark);
    }
    return marks;
  } finally {
    if (marks.size < files.length) giveUp(marks);
  }
}

function make(file: string, own: number, { staleMs }: LockLimits): Mark | undefined {
  const lock = lockOf(file);
  assertOwn(dirname(file));
  const start = performance.now();
  try {
    mkdirSync(lock);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return undefined;
    const isNowhere = codeOf(error) === "ENOENT";
    const reason = isNowhere ? "what it would lie in is not there, or is gone" : (error as Error).message;
    throw new TroupeError("lock_impossible", `${lock} cannot be made: ${reason}`, { file }, error);
  }
  unlessAbsent(() => utimesSync(lock, own, own));
  const mark = markOf(lock);
  // A process that was stopped in between for so long may have marked the lock of another.
  return performance.now() - start < staleMs ? mark : undefined;
}

/**
 * Waits until the lock is gone, or was left behind; then returns whose it is. Age is judged by the
 * clock of the file system and, since that may be set back, by how long the same lock has been seen
 * here.
 */
async function waitUntilFree(file: string, start: number, limits: LockLimits): Promise<Mark | undefined> {
  let seen: { mark: Mark; since: number } | undefined;
  for (let look = 0; ; look += 1) {
    const mark = markOf(lockOf(file));
    if (!mark) return undefined;
    const now = performance.now();
    if (!seen || !isSame(mark, seen.mark)) seen = { mark, since: now };
    if (ageOf(mark) > limits.staleMs || now - seen.since > limits.staleMs) return mark;
    if (now - start > limits.deadlineMs) throw lockUnavailable(file, ageOf(mark), limits);
    if (look < 8) nap(0.05 + Math.random() * 0.2);
    else await pause(1 + Math.random() * 4);
  }
}

/**
 * Takes a lock away that was left behind. Only one process at a time may, and only if the lock is
 * still the one it judged; what its holder had prepared goes first, so that a holder that wakes too
 * late finds nothing to publish. False when another is at it.
 */
function breakStale(file: string, judged: Mark, { staleMs }: LockLimits): boolean {
  const lock = lockOf(file);
  const guard = `${lock}.break`;
  if (!makeGuard(guard, staleMs)) return false;
  try {
    if (!isSame(markOf(lock), judged)) return true;
    removePrepared(file, judged, staleMs / 2);
    rmSync(lock, { recursive: true, force: true });
  } finally {
    rmSync(guard, { recursive: true, force: true });
  }
  return true;
}

/** Removes what the holder of a lock prepared under any lock, and what was forgotten long ago. */
function removePrepared(file: string, judged: Mark, forgottenMs: number): void {
  const directory = dirname(file);
  const ending = extname(preparedBy(file, judged));
  for (const name of namesIn(directory).filter((one) => leftoverOf(one)?.kind === "temporary")) {
    const mark = markOf(join(directory, name));
    if (mark && (name.endsWith(ending) || ageOf(mark) > forgottenMs)) rmSync(join(directory, name), { force: true });
  }
}

/**
 * A guard whose creator died is removed after the stale limit; its remover does not go on at once.
 */
function makeGuard(guard: string, staleMs: number): boolean {
  try {
    mkdirSync(guard);
    return true;
  } catch {
    const mark = markOf(guard);
    if (mark && ageOf(mark) > staleMs) rmSync(guard, { recursive: true, force: true });
    return false;
  }
}

const ageOf = ({ mtimeMs }: Mark): number => Date.now() - mtimeMs;

/** The mark of the file that is there now, if any. */
const markOf = (path: string): Mark | undefined => lstatSync(path, { throwIfNoEntry: false });

const isSame = (a: Mark | undefined, b: Mark): boolean => a?.ino === b.ino && a.mtimeMs === b.mtimeMs;

const never = new Int32Array(new SharedArrayBuffer(4));

/** Stops this thread where nothing can be awaited, also for a fraction of a millisecond. */
export const nap = (ms: number): void => void Atomics.wait(never, 0, 0, ms);
