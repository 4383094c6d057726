import type { Verdict } from "./check.ts";
import type { Evidence } from "./fault.ts";
import type { Level, Revision } from "./requirement.ts";
import type { Declaration } from "./target.ts";

/**
 * A report is a stream of JSON lines: a header, a line per check, a footer. Without a footer it is
 * incomplete.
 */
export type ReportLine = ReportHeader | CheckResult | ReportFooter;

export interface ReportHeader {
  readonly kind: "header";
  readonly format: 1;
  readonly suite: { readonly name: string; readonly version: string };
  readonly mode: "run" | "grade";
  readonly form: "quick" | "full";
  readonly revision: Revision;
  readonly requirements: { readonly sha256: string; readonly count: number };
  readonly seed: number;
  /** The prefixes of the checks and clauses that were run: a partial report meets no level. */
  readonly only?: readonly string[];
  readonly startedAt: string;
  readonly host: { readonly platform: string; readonly node: string; readonly cpus: number };
  /** How much slower this machine is than a quiet one, at least 1: it scales every time limit. */
  readonly slowness: number;
  /** The network of the target: `none`, or `shared` if this machine allows no separation. */
  readonly network: "none" | "shared";
  /** A problem of the file system, if any; then nothing is the target's fault. */
  readonly unfit: readonly string[];
  readonly target: { readonly kind: "adapter" | "command" | "directory"; readonly label: string };
  /** Absent where the target did not get as far as saying what it is. */
  readonly declaration?: Declaration;
}

export interface CheckResult {
  readonly kind: "check";
  readonly check: string;
  readonly title: string;
  /** The clauses that bind this revision. */
  readonly requirements: readonly string[];
  readonly obligation: "MUST" | "SHOULD" | "MAY";
  readonly level: Level;
  readonly verdict: Verdict;
  /** One line: what was wrong, or why it does not apply. */
  readonly message?: string;
  readonly evidence?: Evidence;
  /** The baseline knew of it. */
  readonly isExpected?: boolean;
  readonly ms: number;
  readonly seed: number;
}

export interface ReportFooter {
  readonly kind: "footer";
  readonly counts: Readonly<Record<Verdict, number>>;
  /** Pass, fail and warn: with none of them nothing was learnt. */
  readonly executed: number;
  /** For each claimed level: the missed MUSTs of it and of those below, and the missed SHOULDs. */
  readonly levels: Readonly<Partial<Record<Level, LevelSummary>>>;
  readonly unexpected: readonly string[];
  /** Entries of the baseline that no check failed for. */
  readonly stale: readonly string[];
  readonly ms: number;
  readonly exitCode: 0 | 1 | 2 | 3;
}

export interface LevelSummary {
  readonly isMet: boolean;
  readonly passed: number;
  readonly missedMusts: readonly string[];
  readonly missedShoulds: readonly string[];
  /** Clauses of the level that no executed check asked about. */
  readonly unproved: readonly string[];
}
