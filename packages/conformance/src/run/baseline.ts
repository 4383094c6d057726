import { parse } from "yaml";
import type { Revision } from "../requirement.ts";
import type { CheckResult } from "../result.ts";

/** A failure that is known, and why it is borne for now. */
export interface BaselineEntry {
  readonly check: string;
  readonly reason: string;
  readonly revision?: Revision;
  readonly issue?: string;
  /** A day, as in 2027-01-01; from then on the entry covers nothing. */
  readonly until?: string;
}

/** A YAML list of entries. Throws on anything else. */
export function readBaseline(text: string): readonly BaselineEntry[] {
  const found: unknown = parse(text) ?? [];
  if (!Array.isArray(found)) throw new Error("a baseline is a list of entries: - {check: …, reason: …}");
  return found.map((entry: unknown, index) => {
    const { check, reason, revision, issue, until } = (entry ?? {}) as Record<string, unknown>;
    if (typeof check !== "string" || typeof reason !== "string" || reason === "") {
      throw new Error(`entry ${index + 1} of the baseline needs a check and a reason`);
    }
    const day = until instanceof Date ? until.toISOString().slice(0, 10) : until;
    return { check, reason, revision, issue, until: day } as BaselineEntry;
  });
}

/** Compares results with a baseline: new failures, and entries that nothing failed for. */
export interface Comparison {
  isExpected(result: CheckResult): boolean;
  stale(results: readonly CheckResult[], known: ReadonlySet<string>): readonly string[];
}

export function compare(entries: readonly BaselineEntry[], revision: Revision, today: string): Comparison {
  const mine = entries.filter((entry) => entry.revision === undefined || entry.revision === revision);
  const valid = mine.filter(({ until }) => until === undefined || today < until);
  return {
    isExpected: (result) => isFailure(result) && valid.some(({ check }) => check === result.check),
    stale: (results, known) =>
      mine
        .map(({ check }) => check)
        .filter((check) => !known.has(check) || results.some((one) => one.check === check && one.verdict === "pass")),
  };
}

/** Whether a result fails a run unless the baseline lists it. */
export const isFailure = ({ verdict, obligation }: CheckResult): boolean =>
  verdict === "fail" || (verdict === "untestable" && obligation === "MUST");
