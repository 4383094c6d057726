import type { Verdict } from "../check.ts";
import { levels, type Requirement } from "../requirement.ts";
import type { CheckResult, ReportLine } from "../result.ts";
import { anchorOf, verdictNames } from "./page/check.ts";
import { withCode } from "./page/clause.ts";
import { filters } from "./page/filters.ts";
import { type Markup, markup, type Piece } from "./page/markup.ts";
import { page } from "./page/shell.ts";
import { gather, levelClaimed, levelMet, type Report, severity } from "./report.ts";
import { concerns, conclusion, counted, subject } from "./wording.ts";

/** A report, and where its own page is, seen from the matrix. */
export interface MatrixReport {
  readonly lines: Iterable<ReportLine>;
  readonly href?: string;
}

/** Implementations beside requirements: a table for each revision, a column for each report. */
export function matrix(reports: readonly MatrixReport[]): string {
  const columns = reports.map(({ lines, href }) => columnOf(gather(lines), href));
  const judged = columns.filter(({ report }) => report.header);
  const revisions = [...new Set(judged.map(({ report }) => report.header?.revision ?? ""))].sort();
  const tables = revisions.map((revision) => {
    const mine = judged.filter(({ report }) => report.header?.revision === revision);
    return { revision, columns: mine, rows: rowsOf(mine) };
  });
  const lost = columns.length - judged.length;
  return page(
    "Conformance matrix of the agent-team protocol",
    markup`<header class="head"><p class="over">Agent-team protocol</p><h1>Conformance matrix</h1>
<p class="note signs">${severity.map((verdict) => markup`<span>${sign(verdict)} ${verdictNames[verdict].word}</span>`)}<span>· no check asked</span></p>
${lost > 0 && markup`<div class="concerns" role="alert"><p>${counted(lost, "report")} without a header cannot be shown.</p></div>`}
${judged.length === 0 && markup`<p class="note">There is no report to show.</p>`}
${filtersOf(tables.flatMap(({ rows }) => rows))}</header>
<main>${tables.map(tableOf)}</main>`,
  );
}

interface Column {
  readonly report: Report;
  readonly href: string | undefined;
  /** The worst that was found about each clause, and the check that found it. */
  readonly worst: ReadonlyMap<string, CheckResult>;
}

interface Row {
  readonly clause: Requirement;
  readonly kind: "missed" | "kept";
}

interface Table {
  readonly revision: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

function columnOf(report: Report, href: string | undefined): Column {
  const rank = ({ verdict }: CheckResult) => severity.indexOf(verdict);
  const worst = new Map<string, CheckResult>();
  for (const result of report.results) {
    for (const id of result.requirements) {
      const known = worst.get(id);
      if (!known || rank(result) < rank(known)) worst.set(id, result);
    }
  }
  return { report, href, worst };
}

/** The clauses that some check asked about. */
function rowsOf(columns: readonly Column[]): readonly Row[] {
  const clauses = [...(columns[0]?.report.clauses.values() ?? [])];
  return clauses.flatMap((clause) => {
    const found = columns.flatMap(({ worst }) => worst.get(clause.id)?.verdict ?? []);
    if (found.length === 0) return [];
    return [{ clause, kind: found.every((verdict) => verdict === "pass" || verdict === "na") ? "kept" : "missed" }];
  });
}

function filtersOf(rows: readonly Row[]): Markup {
  const kinds = { missed: "not kept by all", kept: "kept by all" } as const;
  return filters([
    levels.map((level) => ({
      key: level,
      name: level,
      count: rows.filter((one) => one.clause.level === level).length,
    })),
    (["missed", "kept"] as const).map((kind) => ({
      key: kind,
      name: kinds[kind],
      count: rows.filter((one) => one.kind === kind).length,
    })),
  ]);
}

function tableOf({ revision, columns, rows }: Table): Markup {
  const silent = (columns[0]?.report.clauses.size ?? 0) - rows.length;
  const body = rows.map(
    ({ clause, kind }) =>
      markup`<tr class="${clause.level} ${kind}">${rowHead(clause)}${columns.map((column) => cell(column, clause.id))}</tr>`,
  );
  return markup`<section><h2>Revision ${revision} <span class="count">${counted(rows.length, "clause")}</span></h2>
${silent > 0 && markup`<p class="note">No check asked about the other ${silent}.</p>`}
<div class="matrix" tabindex="0"><table><thead><tr><th scope="col">Clause</th>${columns.map(columnHead)}</tr></thead><tbody>${body}</tbody></table></div></section>`;
}

function columnHead(column: Column): Markup {
  const { report } = column;
  const { header } = report;
  const why = [conclusion(report), ...concerns(report)].join("\n");
  return markup`<th scope="col" title="${why}"><b>${link(column, "", subject(report))}</b> ${standing(report)}<br>${header?.startedAt.slice(0, 10)}<br>suite ${header?.suite.version}</th>`;
}

/** The result in few enough words for a column. */
function standing(report: Report): Markup {
  const [met, claimed] = [levelMet(report), levelClaimed(report)];
  const state = (verdict: Verdict, words: string) => markup`<span class="state ${verdict}">${words}</span>`;
  if (!report.footer) return state("fail", "incomplete");
  if (concerns(report).length > 0) return state("fail", "unsound");
  if (report.header?.mode === "grade") return state("na", "graded");
  if (report.header?.only) return state("na", "a part");
  if (!claimed) return state("na", "claims no level");
  return met === claimed ? state("pass", `${met} met`) : state("warn", `${met ?? "none"} of ${claimed} met`);
}

const rowHead = ({ id, level, obligation, text }: Requirement): Markup =>
  markup`<th scope="row"><code>${id}</code> <span class="quiet">${level} ${obligation}</span><span class="clause">${withCode(text)}</span></th>`;

function cell(column: Column, id: string): Markup {
  const result = column.worst.get(id);
  if (!result) return markup`<td><span class="quiet" role="img" aria-label="no check asked">·</span></td>`;
  const { check, verdict, message, title } = result;
  const word = verdict !== "pass" && verdict !== "na" && markup` ${verdictNames[verdict].word}`;
  const inner = markup`${sign(verdict)}${word}`;
  return markup`<td title="${check}: ${message ?? title}">${link(column, `#${anchorOf(check)}`, inner)}</td>`;
}

const sign = (verdict: Verdict): Markup =>
  markup`<span class="sign ${verdict}" role="img" aria-label="${verdictNames[verdict].word}">${verdictNames[verdict].sign}</span>`;

const link = ({ href }: Column, anchor: string, inner: Piece): Piece =>
  href === undefined ? inner : markup`<a href="${encodeURI(href)}${anchor}">${inner}</a>`;
