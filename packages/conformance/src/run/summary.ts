import { type Verdict, verdicts } from "../check.ts";
import { type Level, levels, type Requirement, type RequirementSet } from "../requirement.ts";
import type { CheckResult, LevelSummary, ReportFooter } from "../result.ts";
import { isFailure } from "./baseline.ts";

const executedVerdicts: readonly Verdict[] = ["pass", "fail", "warn"];

export interface SummaryDeps {
  readonly results: readonly CheckResult[];
  readonly set: RequirementSet;
  readonly claimed: readonly Level[];
  readonly stale: readonly string[];
  /** Some checks were left out because others were selected: then no level is met. */
  readonly isPart?: boolean;
  /** What the suite itself cannot ask about yet: a level with such a clause is not met. */
  readonly unasked?: readonly string[];
  readonly ms: number;
}

/** The end of a report: how many, which levels are met, and with which code the program ends. */
export function footerOf({
  results,
  set,
  claimed,
  stale,
  isPart = false,
  unasked = [],
  ms,
}: SummaryDeps): ReportFooter {
  const counts = Object.fromEntries(
    verdicts.map((verdict) => [verdict, results.filter((result) => result.verdict === verdict).length]),
  ) as Record<Verdict, number>;
  const executed = executedVerdicts.reduce((sum, verdict) => sum + counts[verdict], 0);
  const unexpected = results.filter((result) => isFailure(result) && !result.isExpected).map(({ check }) => check);
  const highest = Math.max(-1, ...claimed.map((level) => levels.indexOf(level)));
  const summaries = levels
    .slice(0, highest + 1)
    .map((level) => [level, summaryOf(level, set, results, { isPart, unasked })] as const);
  return {
    kind: "footer",
    counts,
    executed,
    levels: Object.fromEntries(summaries),
    unexpected,
    stale,
    ms: Math.round(ms),
    exitCode: exitCodeOf(unexpected.length + stale.length, counts.error, executed),
  };
}

function exitCodeOf(wrong: number, errors: number, executed: number): ReportFooter["exitCode"] {
  if (wrong > 0) return 1;
  if (errors > 0) return 2;
  return executed > 0 ? 0 : 3;
}

/**
 * A level is met when each of its MUSTs, and of the levels below, can be asked about and none is
 * missed.
 */
function summaryOf(
  level: Level,
  { rows }: RequirementSet,
  results: readonly CheckResult[],
  { isPart, unasked }: Required<Pick<SummaryDeps, "isPart" | "unasked">>,
): LevelSummary {
  const upTo = rows.filter((row) => levels.indexOf(row.level) <= levels.indexOf(level));
  const about = new Map(
    upTo.map((row) => [row, results.filter(({ requirements }) => requirements.includes(row.id))] as const),
  );
  const missed = (row: Requirement) =>
    (about.get(row) ?? []).some(({ verdict }) => ["fail", "warn", "untestable", "error"].includes(verdict));
  const passed = (row: Requirement) => !missed(row) && (about.get(row) ?? []).some(({ verdict }) => verdict === "pass");
  const idsOf = (found: readonly Requirement[]) => found.map(({ id }) => id);
  const missedMusts = idsOf(upTo.filter((row) => row.obligation === "MUST" && missed(row)));
  const count = upTo.filter(passed).length;
  return {
    isMet: !isPart && missedMusts.length === 0 && count > 0 && !upTo.some(({ id }) => unasked.includes(id)),
    passed: count,
    missedMusts,
    missedShoulds: idsOf(upTo.filter((row) => row.obligation === "SHOULD" && missed(row))),
    unproved: idsOf(upTo.filter((row) => !missed(row) && !passed(row))),
  };
}
