import { isTroupeError } from "@troupe/protocol";

const codes: ReadonlySet<string> = new Set(["lock_lost", "lock_unavailable", "store_unavailable"]);

/**
 * True for an error after which the same call may be made again, with the same stamp or key: the
 * store could not be reached or was busy. Any other error of a store is a refusal, which a
 * repetition gets too.
 */
export const isUnavailable = (error: unknown): boolean => isTroupeError(error) && codes.has(error.code);
