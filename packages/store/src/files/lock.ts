import { lstatSync, mkdirSync, rmdirSync, rmSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { lockOf, TroupeError } from "@troupe/protocol";
import { defaultLimits, type LockLimits, leftoverOf, lockUnavailable, temporaryOf } from "@troupe/protocol/rules";
import { assertOwn, codeOf, namesIn, unlessAbsent } from "./directory.ts";

/** Locks that are held together for the length of one synchronous piece of work. */
export interface Held {
  /**
   * The one temporary file from which the target may be published: that of its own lock, or of the first where the target has none.
   * Whoever takes the lock over removes it first.
   */
  temporaryFor(target: string): string;
  /** Throws `lock_lost` when somebody took one of the locks over. Asked last before publishing. */
  assertHeld(): void;
}

/** Tells one making of the lock directory from every other: a directory's number alone is given out again. */
interface Mark {
  readonly ino: number;
  readonly mtimeMs: number;
}

/** What was made of the locks of these files. */
type Marks = ReadonlyMap<string, Mark>;

/** By so much a lock may look older than it is. */
const ownMs = 50;

/** Who waits in this process for the lock of which file: one at a time goes to the file system, in the order of asking. */
const queues = new Map<string, Promise<unknown>>();
/** Until when this process leaves a contended lock to others: greedy waiting starves them. */
const leaveUntil = new Map<string, number>();

/**
 * Runs the work while nobody else holds the lock of this file, in this process or another, whoever wrote it. The work is synchronous,
 * so that a lock is held for no longer than it takes: others give up after 0.7 seconds.
 */
export const withLock = <T>(file: string, work: (held: Held) => T, limits?: LockLimits): Promise<T> =>
  withLocks([file], work, limits);

/**
 * The same for several files at once. None is held while another is waited for, so that two who want the same files in different
 * orders never wait for each other, and a lock that was left behind delays nobody who does not need it.
 */
export function withLocks<T>(
  files: readonly string[],
  work: (held: Held) => T,
  limits: LockLimits = defaultLimits,
): Promise<T> {
  const turn = Promise.all(files.map((file) => queues.get(file))).then(() => holdOnce(files, work, limits));
  const settled = turn.catch(() => undefined);
  for (const file of files) queues.set(file, settled);
  void settled.then(() => {
    for (const file of files) if (queues.get(file) === settled) queues.delete(file);
  });
  return turn;
}

/** A lock that is kept over many pieces of work, for what only one may do at a time. */
export interface Lease {
  /** Throws `lock_lost` when this process was stopped for so long that somebody took the lease over. */
  assertHeld(): void;
  release(): void;
}

/** Waits for the lock of this file and keeps it, until it is released or this process dies. */
export async function takeLease(file: string, limits: LockLimits = defaultLimits): Promise<Lease> {
  let { marks } = await take([file], limits);
  const beat = setInterval(() => {
    const start = performance.now();
    if (!isSame(markOf(lockOf(file)), marks.get(file) as Mark)) return;
    const now = new Date();
    utimesSync(lockOf(file), now, now);
    const renewed = markOf(lockOf(file));
    // Whoever was stopped in between for so long may have touched the lease of another.
    if (renewed && performance.now() - start < limits.staleMs) marks = new Map([[file, renewed]]);
  }, limits.staleMs / 4).unref();
  return {
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
    const temporaryFor = (target: string) => {
      const file = marks.has(target) ? target : (files[0] as string);
      return preparedBy(file, marks.get(file) as Mark);
    };
    return work({ temporaryFor, assertHeld: () => assertHeld(marks) });
  } finally {
    giveUp(marks);
    const end = performance.now();
    for (const file of contended) leaveUntil.set(file, end + (end - start));
  }
}

function giveUp(marks: Marks): void {
  for (const [file, mark] of [...marks].reverse()) {
    // Taken over between the two: what was done under it is done.
    if (isSame(markOf(lockOf(file)), mark)) unlessAbsent(() => rmdirSync(lockOf(file)));
  }
}

/** No later holder shares it, though the next lock directory may well get the same number. */
const preparedBy = (file: string, { ino, mtimeMs }: Mark): string =>
  temporaryOf(file, Math.imul(ino, 0x9e3779b1) ^ Math.floor(mtimeMs * 1_000));

function assertHeld(marks: Marks): void {
  for (const [file, mark] of marks) {
    if (isSame(markOf(lockOf(file)), mark)) continue;
    const message = `the lock of ${file} was taken over while its holder was stopped; nothing was written: try again`;
    throw new TroupeError("lock_lost", message, { file });
  }
}

/** All the locks, and the files among them whose lock somebody else had when it was asked for. */
async function take(files: readonly string[], limits: LockLimits) {
  const start = performance.now();
  const contended = new Set<string>();
  for (;;) {
    const made = makeAll(files, limits);
    if (typeof made !== "string") return { marks: made, contended };
    contended.add(made);
    const left = await waitUntilFree(made, start, limits);
    if (left && !breakStale(made, left, limits)) await pause(1 + Math.random() * 4);
  }
}

/** All or none; then it is the file whose lock somebody else has. */
function makeAll(files: readonly string[], limits: LockLimits): Marks | string {
  const marks = new Map<string, Mark>();
  try {
    for (const file of files) {
      const mark = make(file, limits);
      if (!mark) return file;
      marks.set(file, mark);
    }
    return marks;
  } finally {
    if (marks.size < files.length) giveUp(marks);
  }
}

function make(file: string, { staleMs }: LockLimits): Mark | undefined {
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
  // Two directories made within one tick of the clock may have the same number and the same time: this one gets a time of its own.
  const own = (Date.now() - Math.random() * ownMs) / 1_000;
  unlessAbsent(() => utimesSync(lock, own, own));
  const mark = markOf(lock);
  // Whoever was stopped in between for so long may have marked the lock of another.
  return performance.now() - start < staleMs ? mark : undefined;
}

/**
 * Waits until the lock is gone, or was left behind; then returns whose it is. Age is judged by the clock of the file system and,
 * since that may be set back, by how long the same lock has been seen here.
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
 * Takes a lock away that was left behind. Only one process at a time may, and only if the lock is still the one it judged; what its
 * holder had prepared goes first, so that a holder that wakes too late finds nothing to publish. False when another is at it.
 */
function breakStale(file: string, judged: Mark, { staleMs }: LockLimits): boolean {
  const lock = lockOf(file);
  const guard = `${lock}.break`;
  if (!makeGuard(guard, staleMs)) return false;
  try {
    if (!isSame(markOf(lock), judged)) return true;
    rmSync(preparedBy(file, judged), { force: true });
    removeForgotten(dirname(file), staleMs / 2);
    rmSync(lock, { recursive: true, force: true });
  } finally {
    rmSync(guard, { recursive: true, force: true });
  }
  return true;
}

/** A holder of several locks may have been stopped before it published under another of them; nobody alive takes so long. */
function removeForgotten(directory: string, ageMs: number): void {
  for (const name of namesIn(directory).filter((one) => leftoverOf(one)?.kind === "temporary")) {
    const mark = markOf(join(directory, name));
    if (mark && ageOf(mark) > ageMs) rmSync(join(directory, name), { force: true });
  }
}

/** A guard whose maker died is removed after the stale limit as well; whoever removes it does not go on at once. */
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

/** What stands there now, if anything does. */
const markOf = (path: string): Mark | undefined => lstatSync(path, { throwIfNoEntry: false });

const isSame = (a: Mark | undefined, b: Mark): boolean => a?.ino === b.ino && a.mtimeMs === b.mtimeMs;

const never = new Int32Array(new SharedArrayBuffer(4));

/** Stops this thread for a fraction of a millisecond, which no timer can do. */
const nap = (ms: number): void => void Atomics.wait(never, 0, 0, ms);
