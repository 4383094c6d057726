import type { CheckResult, ReportFooter, ReportLine } from "../result.ts";
import { plain, plainLine, shownShort } from "./plain.ts";
import { byLevel, gather, type Report, severity, unprovedAt } from "./report.ts";
import { askedOf, callOf, violationsOf } from "./violation.ts";
import {
  again,
  concerns,
  conclusion,
  counted,
  facts,
  protocolName,
  reasonAgainst,
  type Section,
  sectionsOf,
  subject,
} from "./wording.ts";
import { wrap } from "./wrap.ts";

export interface TextOptions {
  /** Of the terminal, in columns. */
  readonly width: number;
  readonly hasColor: boolean;
}

/** Renders a report for a terminal, worst first. */
export function text(lines: Iterable<ReportLine>, { width, hasColor }: TextOptions): string {
  const report = gather(lines);
  const { header, footer } = report;
  const paint = (style: keyof typeof styles, line: string) =>
    hasColor ? `\x1b[${styles[style]}m${line}\x1b[0m` : line;
  const bold = (line: string) => wrap(line, width).map((part) => paint("bold", part));
  const block = (rows: readonly Row[], indent: number) => rows.flatMap((row) => rowLines(row, indent, width));
  const blocks = [
    [...bold(`${subject(report)}: ${protocolName(report)}`), ...bold(conclusion(report))],
    concerns(report).flatMap((concern) => wrap(`! ${concern}`, width).map((line) => paint("red", line))),
    header ? block(facts(header), 2) : [],
    ...sectionsOf(report).flatMap((section) => [
      bold(`${section.title} (${section.results.length}). ${section.note}`).map((line) =>
        paint(colors[section.key], line),
      ),
      ...section.results.map((result) => [
        ...rowLines([result.check, plainLine(result.title)], 2, width, "  "),
        ...block(detail(report, section, result), 4),
      ]),
    ]),
    [...bold("Levels"), ...block(levelRows(report), 2)],
    footer ? wrap(ending(footer), width) : [],
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

const styles = { bold: 1, red: 31, yellow: 33, dim: 2 } as const;
const colors = { fail: "red", error: "red", warn: "yellow", untestable: "yellow", known: "dim" } as const;

/** A name and what it stands for. */
type Row = readonly [string, string];

/** Names stand in a column; on a narrow terminal, above what they stand for. */
function rowLines([name, value]: Row, indent: number, width: number, gap = ""): readonly string[] {
  const shownName = plainLine(name);
  const column = gap ? shownName.length + gap.length : 12;
  const margin = " ".repeat(indent);
  if (width - indent - column < 24) {
    return [...wrap(shownName, width - indent), ...wrap(value, width - indent - 2).map((line) => `  ${line}`)].map(
      (line) => margin + line,
    );
  }
  return wrap(value, width - indent - column).map(
    (line, index) => margin + (index === 0 ? shownName : "").padEnd(column) + line,
  );
}

const maxFindings = 20;

function detail(report: Report, { key }: Section, result: CheckResult): readonly Row[] {
  const { message, evidence = {}, requirements, obligation, level, verdict } = result;
  const clauses = requirements.map(
    (id): Row => ["clause", `${plainLine(id)} (${obligation}, ${level}) ${report.clauses.get(id)?.text ?? ""}`.trim()],
  );
  const why: Row = ["why", plainLine(message ?? verdict)];
  if (key === "untestable" || key === "known") return [why, ...clauses];
  const { actual, stderr, stack, findings } = evidence;
  const quoted = Object.entries({ expected: askedOf(evidence), actual }).flatMap(([name, value]): Row[] =>
    value === undefined ? [] : [[name, shownShort(value, 400)]],
  );
  const call = callOf(evidence);
  const printed = Object.entries({ stderr, stack }).flatMap(([name, value]): Row[] =>
    typeof value === "string" && value.trim() !== "" ? [[name, lastLines(value)]] : [],
  );
  const command = again(report, result);
  return [
    why,
    ...(Array.isArray(findings) || evidence.at !== undefined ? places(result) : []),
    ...clauses,
    ...(call ? [["call", plainLine(call)] as const] : []),
    ...quoted,
    ...printed,
    ...(command ? [["again", command] as const] : []),
  ];
}

function places(result: CheckResult): readonly Row[] {
  const found = violationsOf(result);
  const rows = found.slice(0, maxFindings).map(({ path, pointer, line, message }): Row => {
    const at = plainLine([path ?? "", line ? `line ${line}` : "", pointer ?? ""].filter(Boolean).join(" "));
    return ["at", found.length > 1 ? `${at}: ${message}` : at];
  });
  return found.length > maxFindings ? [...rows, ["", `and ${found.length - maxFindings} more`]] : rows;
}

const lastLines = (printed: string): string => plain(printed).trim().split("\n").slice(-4).map(plainLine).join(" / ");

const words = { fail: "failed", error: "errors", untestable: "untestable", warn: "warned", pass: "passed" } as const;

function levelRows(report: Report): readonly Row[] {
  const { header, results, footer } = report;
  const rows = byLevel(results).map(([level, found]): Row => {
    const counts = severity.flatMap((verdict) => {
      const count = found.filter((one) => one.verdict === verdict).length;
      return count === 0 ? [] : [`${count} ${verdict === "na" ? "not applicable" : words[verdict]}`];
    });
    const unproved = unprovedAt(report, level).length;
    if (unproved > 0) counts.push(`${counted(unproved, "clause")} not checked`);
    const summary = footer?.levels[level];
    const state = !footer
      ? "not known"
      : header?.mode === "grade"
        ? "graded"
        : !summary
          ? "not claimed"
          : header?.only
            ? "a part checked"
            : summary.isMet
              ? "met"
              : "not met";
    const reason = reasonAgainst(report, level);
    return [level, `${state}${reason ? ` (${reason})` : ""}: ${counts.join(", ")}`];
  });
  return rows.length > 0 ? rows : [["none", "no check was judged"]];
}

const exitCodes = [
  "nothing unexpected",
  "something failed that the baseline does not name, or the baseline is stale",
  "the suite itself had an error",
  "nothing was executed",
] as const;

const ending = ({ executed, ms, exitCode }: ReportFooter): string =>
  `${counted(executed, "check")} executed in ${(ms / 1_000).toFixed(1)} s. Exit code ${exitCode}: ${exitCodes[exitCode]}.`;
