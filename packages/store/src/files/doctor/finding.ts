import { lookAt } from "../directory.ts";

/** One thing that is wrong on disk, in words a person can act on. */
export interface Finding {
  readonly kind:
    | "directory_unusable"
    | "document_corrupt"
    | "document_faulty"
    | "edge_half"
    | "lock_stale"
    | "member_gone"
    | "reference_dangling"
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
