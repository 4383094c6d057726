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
  /** The effect of the fix or, when there is none, what a person can do. */
  readonly fix: string;
  readonly isMendable: boolean;
  /** True for the normal remains of a session that has ended; they are harmless. */
  readonly isNote: boolean;
}

/**
 * A finding under its full path, with its fix, which looks again under the locks since others go on
 * working.
 */
export type Case = Omit<Finding, "isMendable" | "isNote"> & { readonly cure?: (() => unknown) | undefined };

/** Milliseconds since the last change; what is not there is younger than anything. */
export const ageOf = (path: string, stamp: "mtimeMs" | "ctimeMs" = "mtimeMs"): number =>
  Date.now() - (lookAt(path)?.[stamp] ?? Number.POSITIVE_INFINITY);

type Found = Read<unknown> | InboxRead;

/** The problems of a document, as one case. */
export function casesOf(path: string, found: Found, cure?: Case["cure"]): Case[] {
  const verdict = verdictOn(found);
  return verdict
    ? [{ ...verdict, ...(cure && { fix: "move the broken document aside, and keep what is whole" }), path, cure }]
    : [];
}

/**
 * Reads as the store does; what stops it from being read at all is a case as well. The cure is for
 * what does not parse as it should.
 */
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

/** Abandoned locks and temporary files; a young one belongs to work in progress. */
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
    // A lock of this process is new, so an old one beside it or before it is abandoned.
    const cure = () => withLock(file, () => isOld(path) && rmSync(path, { recursive: true, force: true }), limits);
    return [{ kind: kind === "lock" ? "lock_stale" : "temporary_orphaned", path, message, fix: "remove it", cure }];
  });
}
