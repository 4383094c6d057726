import { rmSync } from "node:fs";
import { lockOf } from "@troupe/protocol";
import { isPresent, lookAt } from "../directory.ts";
import { type LockLimits, withLock } from "../lock.ts";
import { ageOf, type Case } from "./finding.ts";

/** What stands beside a document while it is written: a lock, the guard of who breaks that, a temporary file of any known make. */
const besides = /^(.+?)(\.lock|\.lock\.break|\.tmp\.[0-9a-f]{8})$/;

/** Locks and temporary files that nobody comes back for; what is young is somebody's work. */
export function leftoversIn(
  directory: string,
  names: readonly string[],
  isLockable: (name: string) => boolean,
  limits: LockLimits,
): Case[] {
  const isOld = (path: string) => ageOf(path) > limits.staleMs;
  return names.flatMap((name): Case[] => {
    const [, base = "", ending = ""] = besides.exec(name) ?? [];
    const [path, file] = [`${directory}/${name}`, `${directory}/${base}`];
    if (!isLockable(base) || !isOld(path)) return [];
    const isLock = ending.startsWith(".lock");
    const isInUse = isPresent(lockOf(file)) && !isOld(lockOf(file));
    if (!isLock && (isInUse || !lookAt(path)?.isFile())) return [];
    const message = `was left behind ${Math.round(ageOf(path) / 1_000)} s ago by a writer of ${base}`;
    // A lock held by us is new: what is old beside it, or was in its place, is nobody's.
    const cure = () => withLock(file, () => isOld(path) && rmSync(path, { recursive: true, force: true }), limits);
    return [{ kind: isLock ? "lock_stale" : "temporary_orphaned", path, message, fix: "take it away", cure }];
  });
}
