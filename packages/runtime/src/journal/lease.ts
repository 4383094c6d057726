import { randomUUID } from "node:crypto";
import { lstatSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { LeadProcess, TroupeError } from "@troupe/protocol";
import { defaultLimits, type Held, isRunningHere, publish, thisProcess, withLockNow } from "@troupe/store/files";
import { inRealDirectory } from "../real-path.ts";
import { type TranscriptOwner, transcriptPath } from "./files.ts";

/**
 * The right of one process to write the journals of a session: that of its main conversation and
 * those of its agents.
 */
export interface SessionLease {
  /**
   * Throws `lock_lost` when another process took the session over, as it may when this one was
   * stopped for long.
   */
  assertHeld(): void;
  release(): void;
}

/**
 * A holder that cannot be judged from here, such as one of another container, is gone when it has
 * not shown itself for so long.
 */
const staleMs = 30_000;

/** Nobody holds the lock beside the lease for longer than it takes to write a few bytes. */
const limits = { ...defaultLimits, deadlineMs: 1_000 };

/** Tells one writing of the file from every other. */
interface Mark {
  readonly ino: number;
  readonly mtimeMs: number;
}

/** A session that may be opened, since this process has its lease. */
export interface Leased {
  readonly transcript: string;
  readonly lease: SessionLease;
}

/** Opens a session under its lease, and gives the lease back when that fails. */
export function underLease<T>(
  owner: Pick<TranscriptOwner, "root" | "cwd" | "sessionId">,
  now: () => Date,
  open: (leased: Leased) => T,
): T {
  const transcript = transcriptPath(owner);
  const lease = takeSessionLease(transcript, now);
  try {
    return open({ transcript, lease });
  } catch (error) {
    lease.release();
    throw error;
  }
}

/**
 * Takes the lease beside this transcript; that of a process that ended is taken over at once.
 * Throws `session_open` when another has it.
 */
export function takeSessionLease(transcript: string, now: () => Date): SessionLease {
  const path = inRealDirectory(`${transcript}.lease`);
  const own = JSON.stringify({ ...thisProcess(), claimedAt: now().getTime(), key: randomUUID() });
  const claim = (held: Held) => {
    const holder = holderIn(path);
    if (holder) throw isOpen(transcript, path, holder);
    publish(held, path, own);
  };
  withLockNow(path, claim, limits);
  let seen: Mark | undefined;
  // Asked before every append: what was read once is not read again until something was done to the
  // file.
  const isHeld = () => {
    const mark = lstatSync(path, { throwIfNoEntry: false });
    if (seen && mark?.ino === seen.ino && mark.mtimeMs === seen.mtimeMs) return true;
    seen = textIn(path) === own ? mark : undefined;
    return seen !== undefined;
  };
  const beat = setInterval(() => {
    if (!isHeld()) return;
    touch(path);
    // The next owner of the session puts another file there.
    const mark = lstatSync(path, { throwIfNoEntry: false });
    if (mark?.ino === seen?.ino) seen = mark;
  }, staleMs / 4).unref();
  return {
    assertHeld() {
      if (isHeld()) return;
      const message = `this process no longer holds ${path}: another process took over the session, or the file was removed; nothing was written`;
      throw new TroupeError("lock_lost", message, { path });
    },
    release() {
      clearInterval(beat);
      // One that cannot be given back now is taken over when this process has ended.
      unlessImpossible(() => withLockNow(path, () => isHeld() && rmSync(path, { force: true }), limits));
    },
  };
}

const touch = (path: string): void => unlessImpossible(() => utimesSync(path, new Date(), new Date()));

function unlessImpossible(work: () => void): void {
  try {
    work();
  } catch {}
}

/**
 * The holder of the lease, unless it is gone; a file that cannot have been written whole has none.
 */
function holderIn(path: string): LeadProcess | undefined {
  const holder = parsed(textIn(path));
  if (!holder) return undefined;
  const shownMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return (isRunningHere(holder) ?? Math.abs(Date.now() - shownMs) < staleMs) ? holder : undefined;
}

function parsed(text: string | undefined): LeadProcess | undefined {
  try {
    return LeadProcess.parse(JSON.parse(text ?? ""));
  } catch {
    return undefined;
  }
}

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function isOpen(transcript: string, path: string, { pid, pidSpace, claimedAt }: LeadProcess): TroupeError {
  const own = thisProcess();
  const isOwn = pid === own.pid && pidSpace === own.pidSpace;
  const elsewhere = pidSpace === own.pidSpace ? `process ${pid}` : `process ${pid} of ${pidSpace?.split("#")[0]}`;
  const since = claimedAt === undefined ? "" : ` since ${new Date(claimedAt).toISOString()}`;
  const remedy = isOwn ? "close it first" : "end that process";
  const message = `this session is open in ${isOwn ? "this process" : elsewhere}${since} (${path}): ${remedy}, or open another session`;
  return new TroupeError("session_open", message, { transcript, path, pid });
}
