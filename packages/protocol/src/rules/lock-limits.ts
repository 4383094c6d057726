import { TroupeError } from "../errors.ts";
import { assertGiven } from "../given.ts";
import { lockOf } from "../layout.ts";

/** The time to wait for a lock, and the age at which a lock counts as abandoned. */
export interface LockLimits {
  /** After this a lock that cannot be had is an error. */
  readonly deadlineMs: number;
  /** A lock that is older was left behind; other implementations use the same ten seconds. */
  readonly staleMs: number;
}

/** A waiter outlasts a lock that was left behind the moment before it came. */
export const defaultLimits: LockLimits = { deadlineMs: 15_000, staleMs: 10_000 };

/** The error for a lock that another process held for longer than the limit. */
export function lockUnavailable(file: string, heldMs: number, { deadlineMs, staleMs }: LockLimits): TroupeError {
  const lock = lockOf(file);
  const ageMs = Math.round(heldMs);
  const message = `${file} is locked: ${lock} was made ${ageMs} ms ago and was not given up within ${deadlineMs} ms; once it is ${staleMs} ms old it is taken over`;
  return new TroupeError("lock_unavailable", message, { file, lock, ageMs });
}

/** Throws `arguments_invalid` for limits that cannot be kept. */
export function assertLimits(limits: LockLimits): void {
  assertGiven("limits", limits, { deadlineMs: "number", staleMs: "number" });
  const { deadlineMs, staleMs } = limits;
  if (!(deadlineMs >= 0)) throw refused("deadlineMs", deadlineMs, "0 or more");
  if (!(staleMs > 0)) throw refused("staleMs", staleMs, "more than 0");
}

function refused(field: string, value: number, wanted: string): TroupeError {
  const message = `limits.${field} is ${value}: give a number of milliseconds, ${wanted}`;
  return new TroupeError("arguments_invalid", message, { field, value });
}
