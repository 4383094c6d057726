import { rmSync } from "node:fs";
import { type InboxRead, lockOf, type Read } from "@troupe/protocol";
import { isTorn, type LockLimits, leftoverOf, type Verdict, verdictOn } from "@troupe/protocol/rules";
import { isPresent, lookAt } from "../directory.ts";
import { readSettled } from "../document.ts";
import { withLock } from "../lock.ts";

/** One thing that is wrong on disk, in words a person can act on. */
export interface Finding {
  readonly kind:
    | Verdict["kind"]
    | "directory_unusable"
    | "edge_half"
    | "lock_stale"
    | "member_gone"
    | "removal_unfinished"
    | "temporary_orphaned";
  /** Below the root. */
  readonly path: string;
  readonly message: string;
  /** What mending does or, where it can do nothing, what a person can do. */
  readonly fix: string;
  readonly isMendable: boolean;
}

/** A finding under its full path, with what mends it: that looks again under the locks, since others go on working. */
export type Case = Omit<Finding, "isMendable"> & { readonly cure?: (() => unknown) | undefined };

/** Milliseconds since the last change; what is not there is younger than anything. */
export const ageOf = (path: string, stamp: "mtimeMs" | "ctimeMs" = "mtimeMs"): number =>
  Date.now() - (lookAt(path)?.[stamp] ?? Number.POSITIVE_INFINITY);

type Found = Read<unknown> | InboxRead;

/** What is wrong with a document, as one case. */
export function casesOf(path: string, found: Found, cure?: Case["cure"]): Case[] {
  const verdict = verdictOn(found);
  return verdict
    ? [{ ...verdict, ...(cure && { fix: "keep it aside, and go on with what is whole" }), path, cure }]
    : [];
}

/** Reads as the store does; what stops it from being read at all is a case as well. The cure is for what does not parse as it should. */
export async function examineDocument(path: string, read: (bytes: Uint8Array) => Found, cure?: Case["cure"]) {
  try {
    const found = await readSettled(path, read);
    if (!found) return [];
    return casesOf(path, found, isTorn(found) || found.raw === undefined ? cure : undefined);
  } catch (error) {
    const { message } = error as Error;
    return [{ kind: "document_corrupt", path, message, fix: "put a readable file in its place" } satisfies Case];
  }
}

/** Locks and temporary files that nobody comes back for; what is young is somebody's work. */
export function leftoversIn(
  directory: string,
  names: readonly string[],
  isLockable: (name: string) => boolean,
  limits: LockLimits,
): Case[] {
  const isOld = (path: string) => ageOf(path) > limits.staleMs;
  return names.flatMap((name): Case[] => {
    const { kind, document = "" } = leftoverOf(name) ?? {};
    const [path, file] = [`${directory}/${name}`, `${directory}/${document}`];
    if (!isLockable(document) || !isOld(path)) return [];
    const isInUse = isPresent(lockOf(file)) && !isOld(lockOf(file));
    if (kind === "temporary" && (isInUse || !lookAt(path)?.isFile())) return [];
    const message = `was left behind ${Math.round(ageOf(path) / 1_000)} s ago by a writer of ${document}`;
    // A lock held by us is new: what is old beside it, or was in its place, is nobody's.
    const cure = () => withLock(file, () => isOld(path) && rmSync(path, { recursive: true, force: true }), limits);
    return [{ kind: kind === "lock" ? "lock_stale" : "temporary_orphaned", path, message, fix: "take it away", cure }];
  });
}
