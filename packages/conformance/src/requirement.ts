import { assetJson } from "./assets.ts";

export const revisions = ["2026-02", "2026-11"] as const;
export type Revision = (typeof revisions)[number];

export const levels = ["L0", "L1", "L2", "L3", "L4", "L5"] as const;
/** A level that an implementation claims; it includes all lower ones. */
export type Level = (typeof levels)[number];

export type Obligation = "MUST" | "SHOULD" | "MAY";

/** One clause of the protocol, as the set of a revision froze it. */
export interface Requirement {
  /** Permanent: `ATP-TSK-031`. */
  readonly id: string;
  readonly obligation: Obligation;
  readonly revisions: readonly Revision[];
  readonly level: Level;
  readonly text: string;
  readonly source: string;
  /**
   * The methods of checking: D data case, S schema vector, C concurrency, K crash, B backend, G
   * grade, R review.
   */
  readonly codes: readonly string[];
  /** The hash of the text, so that a report shows which wording was used. */
  readonly sha256: string;
}

/** All clauses that bind one revision; never changed once it is published. */
export interface RequirementSet {
  readonly revision: Revision;
  /** The hash of the hashes of all rows, in order. */
  readonly sha256: string;
  readonly rows: readonly Requirement[];
}

export const loadRequirements = (revision: Revision): RequirementSet =>
  assetJson(`requirements/${revision}.json`) as RequirementSet;
