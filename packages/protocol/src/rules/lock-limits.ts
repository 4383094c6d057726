import { TroupeError } from "../errors.ts";
import { lockOf } from "../layout.ts";

/** How long is waited for a lock and when one counts as left behind. */
export interface LockLimits {
  /** After this a lock that cannot be had is an error. */
  readonly deadlineMs: number;
  /** A lock that is older was left behind; other implementations use the same ten seconds. */
  readonly staleMs: number;
}

/** A waiter outlasts a lock that was left behind the moment before it came. */
export const defaultLimits: LockLimits = { deadlineMs: 15_000, staleMs: 10_000 };

/** The error for a lock that somebody else kept for longer than was waited. */
export function lockUnavailable(file: string, heldMs: number, { deadlineMs, staleMs }: LockLimits): TroupeError {
  const lock = lockOf(file);
  const ageMs = Math.round(heldMs);
  const message = `${file} is locked: ${lock} was made ${ageMs} ms ago and was not given up within ${deadlineMs} ms; once it is ${staleMs} ms old it is taken over`;
  return new TroupeError("lock_unavailable", message, { file, lock, ageMs });
}

/** Throws `arguments_invalid` for limits under which nobody would wait as they say. */
export function assertLimits({ deadlineMs, staleMs }: LockLimits): void {
  if (!(deadlineMs >= 0)) throw refused("deadlineMs", deadlineMs, "0 or more");
  if (!(staleMs > 0)) throw refused("staleMs", staleMs, "more than 0");
}

function refused(field: string, value: number, wanted: string): TroupeError {
  const message = `limits.${field} is ${value}: give a number of milliseconds, ${wanted}`;
  return new TroupeError("arguments_invalid", message, { field, value });
}
