import type { Verdict } from "../check.ts";
import { type Level, levels, loadRequirements, type Requirement, revisions } from "../requirement.ts";
import type { CheckResult, ReportFooter, ReportHeader, ReportLine } from "../result.ts";

/** The lines of one report, taken together. */
export interface Report {
  readonly header: ReportHeader | undefined;
  readonly results: readonly CheckResult[];
  /** Absent where the run ended before its time. */
  readonly footer: ReportFooter | undefined;
  /** The clauses of its revision by id, as this version of the suite words them. */
  readonly clauses: ReadonlyMap<string, Requirement>;
  /** The revision of the clauses above; the header names the one that was used. */
  readonly sha256: string | undefined;
}

/** Throws on a second header: reports are told apart before they are rendered. */
export function gather(lines: Iterable<ReportLine>): Report {
  let header: ReportHeader | undefined;
  let footer: ReportFooter | undefined;
  const results: CheckResult[] = [];
  for (const line of lines) {
    if (line.kind === "header" && header) throw new Error("these lines are of more than one report: render each alone");
    if (line.kind === "header") header = line;
    if (line.kind === "check") results.push(line);
    if (line.kind === "footer") footer = line;
  }
  const revision = revisions.find((one) => one === header?.revision);
  const set = revision && loadRequirements(revision);
  return {
    header,
    results,
    footer,
    clauses: new Map((set?.rows ?? []).map((row) => [row.id, row])),
    sha256: set?.sha256,
  };
}

/** From the worst to the most harmless. */
export const severity: readonly Verdict[] = ["fail", "error", "untestable", "warn", "pass", "na"];

/** Results by level, lowest first; only levels that were asked about. */
export const byLevel = (results: readonly CheckResult[]): readonly (readonly [Level, readonly CheckResult[]])[] =>
  levels
    .map((level) => [level, results.filter((result) => result.level === level)] as const)
    .filter(([, found]) => found.length > 0);

/** The highest level that is claimed and met. */
export const levelMet = ({ footer }: Report): Level | undefined =>
  levels.findLast((level) => footer?.levels[level]?.isMet);

/** The highest level that is claimed. */
export const levelClaimed = ({ header }: Report): Level | undefined =>
  levels.findLast((level) => header?.declaration?.levels.includes(level));

/** The number of clauses with a check that ended like this. */
export const clausesWith = (results: readonly CheckResult[], verdict: Verdict): number =>
  new Set(results.filter((one) => one.verdict === verdict).flatMap(({ requirements }) => requirements)).size;

/** The clauses of one level that no executed check asked about. */
export const unprovedAt = ({ footer, clauses }: Report, level: Level): readonly Requirement[] =>
  (footer?.levels[level]?.unproved ?? []).flatMap((id) => {
    const clause = clauses.get(id);
    return clause?.level === level ? [clause] : [];
  });
