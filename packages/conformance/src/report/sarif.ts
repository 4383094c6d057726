import type { CheckResult, ReportLine } from "../result.ts";
import { plainLine } from "./plain.ts";
import { gather, type Report } from "./report.ts";
import { sarifLog, sarifUri } from "./sarif-log.ts";
import { type ReportedViolation, violationsOf } from "./violation.ts";
import { concerns } from "./wording.ts";

const levels = { MUST: "error", SHOULD: "warning", MAY: "note" } as const;

/**
 * Renders SARIF 2.1.0: a rule per clause, a result per violation, paths relative to the graded
 * directory.
 */
export function sarif(lines: Iterable<ReportLine>): string {
  const report = gather(lines);
  const { header, footer, results } = report;
  const missed = results.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
  const rules = [...new Set(missed.map(ruleIdOf))].sort();
  const errors = results
    .filter(({ verdict }) => verdict === "error")
    .map(({ check, message = "" }) => `${check}: ${message}`);
  const notifications = [...concerns(report), ...errors].map((text) => ({
    level: "error",
    message: { text: plainLine(text) },
  }));
  const run = {
    tool: {
      driver: {
        name: header?.suite.name ?? "@troupe/conformance",
        ...(header && { version: header.suite.version, semanticVersion: header.suite.version }),
        rules: rules.map((id) => ruleOf(id, report)),
      },
    },
    originalUriBaseIds: { ROOT: { description: { text: "The directory that holds teams/ and tasks/." } } },
    columnKind: "utf16CodeUnits",
    invocations: [
      {
        executionSuccessful: footer !== undefined && notifications.length === 0,
        ...(footer && { exitCode: footer.exitCode }),
        ...(header && { startTimeUtc: header.startedAt }),
        toolExecutionNotifications: notifications,
      },
    ],
    results: missed.flatMap((result) =>
      violationsOf(result).map((finding) => resultOf(result, finding, rules.indexOf(ruleIdOf(result)))),
    ),
    ...(header && { properties: { revision: header.revision, requirements: header.requirements.sha256 } }),
  };
  return sarifLog(run);
}

/** The first clause stands for the check; the others are named beside it. */
const ruleIdOf = ({ requirements, check }: CheckResult): string => requirements[0] ?? check;

function ruleOf(id: string, { clauses }: Report) {
  const clause = clauses.get(id);
  if (!clause) return { id };
  return {
    id,
    shortDescription: { text: clause.text },
    fullDescription: { text: `${clause.obligation}: ${clause.text} (${clause.source})` },
    defaultConfiguration: { level: levels[clause.obligation] },
    properties: { level: clause.level, obligation: clause.obligation, source: clause.source, sha256: clause.sha256 },
  };
}

function resultOf(result: CheckResult, finding: ReportedViolation, ruleIndex: number) {
  const { check, requirements, obligation, isExpected } = result;
  return {
    ruleId: ruleIdOf(result),
    ruleIndex,
    level: levels[obligation],
    message: { text: finding.message },
    ...(finding.path !== undefined && { locations: [locationOf(finding, finding.path)] }),
    ...(isExpected && { suppressions: [{ kind: "external", justification: "the baseline names it" }] }),
    properties: { check, clauses: requirements },
  };
}

function locationOf({ pointer, line }: ReportedViolation, path: string) {
  return {
    physicalLocation: {
      artifactLocation: { uri: sarifUri(path), uriBaseId: "ROOT" },
      // Code hosts show a result only where it names a line.
      region: { startLine: line ?? 1 },
    },
    ...(pointer !== undefined && { logicalLocations: [{ fullyQualifiedName: pointer, kind: "member" }] }),
  };
}
