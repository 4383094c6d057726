import type { Verdict } from "../check.ts";
import { levels, loadRequirements, type Requirement, type Revision } from "../requirement.ts";
import type { CheckResult } from "../result.ts";
import type { MatrixColumn } from "./matrix-column.ts";
import { anchorOf, tally, verdictNames } from "./page/check.ts";
import { withCode } from "./page/clause.ts";
import { filters } from "./page/filters.ts";
import { findingsOf, localAnchor } from "./page/findings.ts";
import { type Markup, markup, type Piece } from "./page/markup.ts";
import { page } from "./page/shell.ts";
import { severity } from "./report.ts";
import { counted } from "./wording.ts";

/**
 * Implementations beside requirements: who was judged and how it went, a table for each revision
 * with a column for each report, then what was found of each. Undefined stands for a report that
 * does not say what it is about.
 */
export function matrix(reports: readonly (MatrixColumn | undefined)[]): string {
  const judged = reports.filter((column) => column !== undefined);
  const revisions = [...new Set(judged.map(({ revision }) => revision))].sort();
  const tables = revisions.map((revision) => tableFor(judged, revision));
  const lost = reports.length - judged.length;
  return page(
    "Conformance matrix of the agent-team protocol",
    markup`<header class="head"><p class="over">Agent-team protocol</p><h1>Conformance matrix</h1>
<p class="intro">Programs that work in the directory of a team, each judged by the same suite. Who makes no claim breaks no promise: a clause that is
not kept says what others must expect who share a directory with that program. Those who maintain one and find a verdict wrong are asked to tell us.</p>
${lost > 0 && markup`<div class="concerns" role="alert"><p>${counted(lost, "report")} without a header cannot be shown.</p></div>`}
${judged.length === 0 && markup`<p class="note">There is no report to show.</p>`}</header>
<main>${judged.length > 0 && markup`<div class="levels who">${judged.map(summary)}</div>`}
<p class="note signs">${severity.map((verdict) => markup`<span>${sign(verdict)} ${verdictNames[verdict].word}</span>`)}<span>· no check asked</span></p>
${filtersOf(tables.flatMap(({ rows }) => rows))}
${tables.map(tableOf)}
${judged.filter(({ href }) => href === undefined).map(findingsOf)}</main>`,
  );
}

interface Row {
  readonly clause: Requirement;
  readonly kind: "missed" | "kept";
}

interface Table {
  readonly revision: Revision;
  readonly columns: readonly MatrixColumn[];
  readonly rows: readonly Row[];
  /** Clauses that nobody was asked about. */
  readonly silent: number;
}

function tableFor(judged: readonly MatrixColumn[], revision: Revision): Table {
  const columns = judged.filter((column) => column.revision === revision);
  const clauses = loadRequirements(revision).rows;
  const rows = clauses.flatMap((clause): readonly Row[] => {
    const found = columns.flatMap((column) => column.clauses[clause.id]?.[0] ?? []);
    if (found.every((verdict) => verdict === "na")) return [];
    return [{ clause, kind: found.every((verdict) => verdict === "pass" || verdict === "na") ? "kept" : "missed" }];
  });
  return { revision, columns, rows, silent: clauses.length - rows.length };
}

/** One implementation in one revision, at a glance. */
function summary(column: MatrixColumn): Markup {
  const { subject, revision, standing, counts, date, form, remarks } = column;
  const found = severity.toReversed().flatMap((verdict) => {
    const count = counts[verdict] ?? 0;
    return count > 0 && verdict !== "na" ? [{ verdict, count }] : [];
  });
  const words = found.map(({ verdict, count }) => tally(count, verdict));
  const beside = counts.na ? `${counts.na} not applicable` : [];
  return markup`<section class="level" title="${remarks.join("\n")}"><h2><a href="${hrefOf(column)}">${subject}</a> <span class="state ${standing.verdict}">${standing.words}</span></h2>
<div class="bar" aria-hidden="true">${found.map((one) => markup`<i class="${one.verdict}" style="flex-grow:${one.count}"></i>`)}</div>
<p>${[words, beside].flat().join(", ")}</p><p class="quiet">revision ${revision}, ${form} form, ${date}</p></section>`;
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

function tableOf({ revision, columns, rows, silent }: Table): Markup {
  const body = rows.map(
    ({ clause, kind }) =>
      markup`<tr class="${clause.level} ${kind}">${rowHead(clause)}${columns.map((column) => cell(column, clause.id))}</tr>`,
  );
  return markup`<section><h2>Revision ${revision} <span class="count">${counted(rows.length, "clause")}</span></h2>
${silent > 0 && markup`<p class="note">Nobody was asked about the other ${silent}.</p>`}
<div class="matrix" tabindex="0"><table><thead><tr><th scope="col">Clause</th>${columns.map(columnHead)}</tr></thead><tbody>${body}</tbody></table></div></section>`;
}

function columnHead(column: MatrixColumn): Markup {
  const { subject, standing, date, suite, remarks } = column;
  return markup`<th scope="col" title="${remarks.join("\n")}"><b><a href="${hrefOf(column)}">${subject}</a></b> <span class="state ${standing.verdict}">${standing.words}</span><br>${date}<br>suite ${suite}</th>`;
}

const rowHead = ({ id, level, obligation, text }: Requirement): Markup =>
  markup`<th scope="row"><code>${id}</code> <span class="quiet">${level} ${obligation}</span><span class="clause">${withCode(text)}</span></th>`;

function cell(column: MatrixColumn, id: string): Markup {
  const [verdict, check] = column.clauses[id] ?? [];
  if (!verdict || check === undefined)
    return markup`<td><span class="quiet" role="img" aria-label="no check asked">·</span></td>`;
  const finding = column.findings.find((one) => one.check === check);
  const word = finding && markup` ${verdictNames[verdict].word}`;
  const inner = markup`${sign(verdict)}${word}`;
  return markup`<td title="${check}${finding && `: ${finding.message ?? finding.title}`}">${cellLink(column, check, finding, inner)}</td>`;
}

/** A page of the report's own knows every check; this one only what deserves a look. */
function cellLink(column: MatrixColumn, check: string, finding: CheckResult | undefined, inner: Piece): Piece {
  if (column.href !== undefined) return markup`<a href="${encodeURI(column.href)}#${anchorOf(check)}">${inner}</a>`;
  return finding ? markup`<a href="#${localAnchor(column, check)}">${inner}</a>` : inner;
}

const hrefOf = (column: MatrixColumn): string =>
  column.href === undefined ? `#${localAnchor(column)}` : encodeURI(column.href);

const sign = (verdict: Verdict): Markup =>
  markup`<span class="sign ${verdict}" role="img" aria-label="${verdictNames[verdict].word}">${verdictNames[verdict].sign}</span>`;
