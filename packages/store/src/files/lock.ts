import { lstatSync, mkdirSync, rmdirSync, rmSync, type Stats, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { lockOf, TroupeError } from "@troupe/protocol";
import { assertOwn, namesIn, unlessAbsent } from "./directory.ts";
import { nap, pause } from "./pause.ts";

/** How long is waited and when a lock counts as left behind. */
export interface LockLimits {
  /** After this a lock that cannot be had is an error. */
  readonly deadlineMs: number;
  /** A lock that is older was left behind; other implementations use the same ten seconds. */
  readonly staleMs: number;
}

/** A waiter outlasts a lock that was left behind the moment before it came. */
export const defaultLimits: LockLimits = { deadlineMs: 15_000, staleMs: 10_000 };

/** A lock that is held for the length of one synchronous piece of work. */
export interface Held {
  /** The one temporary file this holder may publish from; whoever takes the lock over removes it first. */
  readonly temporary: string;
  /** Throws `lock_lost` when somebody took the lock over, or one that was taken with it. Asked last before publishing. */
  assertHeld(): void;
}

/** Tells one making of the lock directory from every other: a directory's number alone is given out again. */
interface Mark {
  readonly ino: number;
  readonly mtimeMs: number;
}

/** By so much a lock may look older than it is. */
const ownMs = 50;

/** Who waits in this process for which lock: one at a time goes to the file system, in the order of asking. */
const queues = new Map<string, Promise<unknown>>();
/** Until when this process leaves a contended lock to others: greedy waiting starves them. */
const leaveUntil = new Map<string, number>();

/**
 * Runs the work while nobody else holds the lock of this file, in this process or another, whoever wrote it. The work is synchronous,
 * so that a lock is held for no longer than it takes: others give up after 0.7 seconds.
 */
export function withLock<T>(file: string, work: (held: Held) => T, limits: LockLimits = defaultLimits): Promise<T> {
  return withLocks([file], (held) => work(held.get(file) as Held), limits);
}

/**
 * The same for several files at once. None is held while another is waited for, so that two who want the same files in different
 * orders never wait for each other, and a lock that was left behind delays nobody who does not need it.
 */
export function withLocks<T>(
  files: readonly string[],
  work: (held: ReadonlyMap<string, Held>) => T,
  limits: LockLimits = defaultLimits,
): Promise<T> {
  const locks = files.map(lockOf);
  const turn = Promise.all(locks.map((lock) => queues.get(lock))).then(() => holdOnce(files, work, limits));
  const settled = turn.then(
    () => undefined,
    () => undefined,
  );
  for (const lock of locks) queues.set(lock, settled);
  void settled.then(() => {
    for (const lock of locks) if (queues.get(lock) === settled) queues.delete(lock);
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
  const lock = lockOf(file);
  let mark = (await take([file], limits)).taken.get(file) as Mark;
  const beat = setInterval(() => {
    const start = performance.now();
    if (!isSame(markOf(lock), mark)) return;
    const now = new Date();
    utimesSync(lock, now, now);
    const renewed = markOf(lock);
    // Whoever was stopped in between for so long may have touched the lease of another.
    if (renewed && performance.now() - start < limits.staleMs) mark = renewed;
  }, limits.staleMs / 4).unref();
  return {
    assertHeld: () => assertHeld(file, mark),
    release() {
      clearInterval(beat);
      giveUp(new Map([[file, mark]]));
    },
  };
}

async function holdOnce<T>(
  files: readonly string[],
  work: (held: ReadonlyMap<string, Held>) => T,
  limits: LockLimits,
): Promise<T> {
  const rest = Math.max(...files.map((file) => leaveUntil.get(lockOf(file)) ?? 0)) - performance.now();
  if (rest > 1) await pause(rest);
  else if (rest > 0) nap(rest);
  for (const file of files) leaveUntil.delete(lockOf(file));

  const { taken, contended } = await take(files, limits);
  const start = performance.now();
  try {
    const assertAllHeld = () => {
      for (const [file, mark] of taken) assertHeld(file, mark);
    };
    return work(
      new Map(
        [...taken].map(([file, mark]) => [file, { temporary: temporaryOf(file, mark), assertHeld: assertAllHeld }]),
      ),
    );
  } finally {
    giveUp(taken);
    const end = performance.now();
    for (const lock of contended) leaveUntil.set(lock, end + (end - start));
  }
}

function giveUp(taken: ReadonlyMap<string, Mark>): void {
  for (const [file, mark] of [...taken].reverse()) {
    if (!isSame(markOf(lockOf(file)), mark)) continue;
    try {
      rmdirSync(lockOf(file));
    } catch (error) {
      // Taken over between the two: what was done under it is done.
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }
}

/**
 * Where a holder prepares what it publishes. The name tells the breaker of its lock what to remove, and no later holder shares it:
 * the next lock directory may well get the same number.
 */
function temporaryOf(file: string, { ino, mtimeMs }: Mark): string {
  const mixed = Math.imul(ino, 0x9e3779b1) ^ Math.floor(mtimeMs * 1_000);
  return `${file}.tmp.${(mixed >>> 0).toString(16).padStart(8, "0")}`;
}

function assertHeld(file: string, mark: Mark): void {
  if (isSame(markOf(lockOf(file)), mark)) return;
  throw new TroupeError(
    "lock_lost",
    `the lock of ${file} was taken over while its holder was stopped; nothing was written: try again`,
    {
      file,
    },
  );
}

/** All the locks, and those among them that somebody else had when they were asked for. */
async function take(
  files: readonly string[],
  limits: LockLimits,
): Promise<{ taken: ReadonlyMap<string, Mark>; contended: ReadonlySet<string> }> {
  const start = performance.now();
  const contended = new Set<string>();
  for (;;) {
    const { taken, missed } = makeAll(files, limits);
    if (missed === undefined) return { taken, contended };
    const lock = lockOf(missed);
    contended.add(lock);
    const left = await waitUntilFree(missed, lock, start, limits);
    if (left && !breakStale(missed, lock, left, limits.staleMs)) await pause(1 + Math.random() * 4);
  }
}

/** All or none: `missed` is the file whose lock somebody else has. */
function makeAll(
  files: readonly string[],
  { staleMs }: LockLimits,
): { taken: ReadonlyMap<string, Mark>; missed?: string } {
  const taken = new Map<string, Mark>();
  try {
    for (const file of files) {
      const mark = make(file, lockOf(file), staleMs);
      if (!mark) {
        giveUp(taken);
        return { taken, missed: file };
      }
      taken.set(file, mark);
    }
    return { taken };
  } catch (error) {
    giveUp(taken);
    throw error;
  }
}

/**
 * Waits until the lock is gone, or was left behind; then returns whose it is. Age is judged by the clock of the file system and,
 * since that may be set back, by how long the same lock has been seen here.
 */
async function waitUntilFree(file: string, lock: string, start: number, limits: LockLimits): Promise<Mark | undefined> {
  let seen: { mark: Mark; since: number } | undefined;
  for (let look = 0; ; look += 1) {
    const mark = markOf(lock);
    if (!mark) return undefined;
    const now = performance.now();
    if (!seen || !isSame(mark, seen.mark)) seen = { mark, since: now };
    if (ageOf(mark) > limits.staleMs || now - seen.since > limits.staleMs) return mark;
    if (now - start > limits.deadlineMs) throw unavailable(file, lock, mark, limits);
    if (look < 8) nap(0.05 + Math.random() * 0.2);
    else await pause(1 + Math.random() * 4);
  }
}

function make(file: string, lock: string, staleMs: number): Mark | undefined {
  assertOwn(dirname(file));
  const start = performance.now();
  try {
    mkdirSync(lock);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return undefined;
    const reason =
      codeOf(error) === "ENOENT" ? "what it would lie in is not there, or is gone" : (error as Error).message;
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
 * Takes a lock away that was left behind. Only one process at a time may, and only if the lock is still the one it judged; what its
 * holder had prepared goes first, so that a holder that wakes too late finds nothing to publish. False when another is at it.
 */
function breakStale(file: string, lock: string, judged: Mark, staleMs: number): boolean {
  const guard = `${lock}.break`;
  if (!makeGuard(guard, staleMs)) return false;
  try {
    if (!isSame(markOf(lock), judged)) return true;
    rmSync(temporaryOf(file, judged), { force: true });
    removeForgotten(dirname(file), staleMs / 2);
    rmSync(lock, { recursive: true, force: true });
  } finally {
    rmSync(guard, { recursive: true, force: true });
  }
  return true;
}

/** A holder of several locks may have been stopped before it published under another of them; nobody alive takes so long. */
function removeForgotten(directory: string, ageMs: number): void {
  for (const name of namesIn(directory).filter((one) => /\.tmp\.[0-9a-f]{8}$/.test(one))) {
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

function unavailable(file: string, lock: string, holder: Mark, { deadlineMs, staleMs }: LockLimits): TroupeError {
  const ageMs = Math.round(ageOf(holder));
  const message = `${file} is locked: ${lock} was made ${ageMs} ms ago and was not given up within ${deadlineMs} ms; once it is ${staleMs} ms old it is taken over`;
  return new TroupeError("lock_unavailable", message, { file, lock, ageMs });
}

const ageOf = ({ mtimeMs }: Mark): number => Date.now() - mtimeMs;

function markOf(lock: string): Mark | undefined {
  const stats: Stats | undefined = lstatSync(lock, { throwIfNoEntry: false });
  return stats && { ino: stats.ino, mtimeMs: stats.mtimeMs };
}

const isSame = (a: Mark | undefined, b: Mark): boolean => a?.ino === b.ino && a.mtimeMs === b.mtimeMs;

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
