import { stringify } from "yaml";
import type { CheckResult, ReportLine } from "../result.ts";
import { plainLine } from "./plain.ts";
import { gather, type Report } from "./report.ts";
import { again, concerns, conclusion, facts, subject } from "./wording.ts";

/**
 * Renders TAP 14. Known failures and missed SHOULDs are `TODO`, untestable clauses `SKIP`; an
 * incomplete report bails out.
 */
export function tap(lines: Iterable<ReportLine>): string {
  const report = gather(lines);
  const { header, results, footer } = report;
  const points = results.flatMap((result, index) => pointOf(report, result, index + 1));
  const plan = results.length > 0 ? [`1..${results.length}`] : footer ? ["1..0 # SKIP nothing was checked"] : [];
  const comments = [subject(report), ...(header ? facts(header).map(([name, value]) => `${name}: ${value}`) : [])];
  return [
    "TAP version 14",
    ...comments.map((comment) => `# ${comment}`),
    ...points,
    ...plan,
    ...concerns(report).map((concern) => `# ${concern}`),
    ...(footer ? [`# ${conclusion(report)}`] : ["Bail out! The report is incomplete."]),
    "",
  ].join("\n");
}

function pointOf(report: Report, result: CheckResult, number: number): readonly string[] {
  const { check, title, verdict } = result;
  const ok = ["pass", "na", "untestable"].includes(verdict) ? "ok" : "not ok";
  const point = `${ok} ${number} - ${described(`${check}: ${title}`)}${directiveOf(result)}`;
  return verdict === "pass" || verdict === "na" ? [point] : [point, ...diagnosis(report, result)];
}

function directiveOf({ verdict, isExpected, message = "" }: CheckResult): string {
  if (verdict === "na") return ` # SKIP ${described(message)}`;
  if (verdict === "untestable") return ` # SKIP untestable: ${described(message)}`;
  if (isExpected) return " # TODO known, in the baseline";
  return verdict === "warn" ? " # TODO a SHOULD" : "";
}

function diagnosis(report: Report, result: CheckResult): readonly string[] {
  const { verdict, message, requirements, obligation, level, evidence } = result;
  const block = {
    severity: verdict,
    message,
    level,
    clauses: requirements.map((id) => `${id} (${obligation}) ${report.clauses.get(id)?.text ?? ""}`),
    ...(verdict === "error" && { note: "a fault of the suite, not of the target" }),
    evidence: evidence && withoutBulk(evidence),
    again: again(report, result),
  };
  // Through JSON, so that nothing but plain data gets there; double quotes, so that no text can end
  // the block.
  const yaml = stringify(JSON.parse(JSON.stringify(block)), {
    lineWidth: 0,
    defaultStringType: "QUOTE_DOUBLE",
    defaultKeyType: "PLAIN",
    doubleQuotedAsJSON: true,
  });
  return ["---", ...visible(yaml).trimEnd().split("\n"), "..."].map((line) => `  ${line}`);
}

/** A summary for people; the report itself holds every call and file. */
const withoutBulk = ({ calls: _calls, history: _history, disk: _disk, ...rest }: Readonly<Record<string, unknown>>) =>
  rest;

const visible = (yaml: string): string =>
  yaml.replace(/[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, (char) => `\\u${hex(char)}`);

const hex = (char: string): string => char.charCodeAt(0).toString(16).padStart(4, "0");

const described = (text: string): string => plainLine(text).replace(/[\\#]/g, "\\$&");
