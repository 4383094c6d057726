import { verdicts } from "../check.ts";
import { type Level, levels, type Requirement } from "../requirement.ts";
import type { CheckResult, ReportLine } from "../result.ts";
import { card, row, tally, verdictNames } from "./page/check.ts";
import { withCode } from "./page/clause.ts";
import { filters } from "./page/filters.ts";
import { isWebAddress } from "./page/link.ts";
import { type Markup, markup, type Piece } from "./page/markup.ts";
import { page } from "./page/shell.ts";
import { byLevel, gather, levelClaimed, levelMet, type Report, severity, unprovedAt } from "./report.ts";
import {
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

/** One self-contained page without a script: what failed and why, then every check by level. */
export function html(lines: Iterable<ReportLine>): string {
  const report = gather(lines);
  const found = sectionsOf(report);
  const title = `${subject(report)}, ${protocolName(report)}: ${conclusion(report)}`;
  return page(
    title,
    markup`${head(report)}
<main>
${levelCards(report)}
${navigation(report, found)}
${found.map((section) => sectionOf(report, section))}
${index(report)}
</main>
${foot(report)}`,
  );
}

function head(report: Report): Markup {
  const { header, footer } = report;
  const links = [header?.declaration?.homepage, header?.declaration?.issues].filter(isWebAddress);
  const wrong = concerns(report);
  return markup`<header class="head">
<p class="over">Conformance report · ${protocolName(report)}</p>
<h1>${subject(report)}</h1>
<p class="conclusion ${mood(report)}">${conclusion(report)}</p>
${wrong.length > 0 && markup`<div class="concerns" role="alert">${wrong.map((concern) => markup`<p>${concern}</p>`)}</div>`}
${header && markup`<dl class="facts">${facts(header).map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}${footer && markup`<div><dt>Took</dt><dd>${(footer.ms / 1_000).toFixed(1)} s, exit code ${footer.exitCode}</dd></div>`}${links.map((link) => markup`<div><dt>Web</dt><dd><a href="${link}" rel="noreferrer nofollow">${link}</a></dd></div>`)}</dl>`}
</header>`;
}

function mood(report: Report): string {
  const { header, footer, results } = report;
  if (!header || !footer || footer.executed === 0) return "fail";
  if (header.unfit.length > 0) return "untestable";
  if (header.mode === "grade" || header.only)
    return results.some(({ verdict }) => verdict === "fail") ? "fail" : "pass";
  const [met, claimed] = [levelMet(report), levelClaimed(report)];
  return met === undefined ? "fail" : met === claimed ? "pass" : "warn";
}

function levelCards(report: Report): Markup {
  const cards = byLevel(report.results).map(([level, results]) => {
    const counts = severity.toReversed().flatMap((verdict) => {
      const count = results.filter((one) => one.verdict === verdict).length;
      return count > 0 ? [{ verdict, count }] : [];
    });
    const { state, verdict } = stateOf(report, level);
    const unproved = unprovedAt(report, level).length;
    const reason = reasonAgainst(report, level);
    const words = counts.map(({ count, verdict }) => tally(count, verdict));
    if (unproved > 0) words.push(`${counted(unproved, "clause")} not checked`);
    return markup`<section class="level"><h2><a href="#level-${level}">${level}</a> <span class="state ${verdict}">${state}</span></h2>
<div class="bar" aria-hidden="true">${counts.map((one) => markup`<i class="${one.verdict}" style="flex-grow:${one.count}"></i>`)}</div>
${reason !== undefined && markup`<p class="reason">${reason}</p>`}<p class="quiet">${words.join(", ")}</p></section>`;
  });
  return markup`<div class="levels">${cards}</div>`;
}

function stateOf({ header, footer }: Report, level: Level): { state: string; verdict: string } {
  const summary = footer?.levels[level];
  if (!footer) return { state: "not known", verdict: "untestable" };
  if (header?.mode === "grade") return { state: "graded", verdict: "na" };
  if (!summary) return { state: "not claimed", verdict: "na" };
  if (header?.only) return { state: "a part checked", verdict: "na" };
  return summary.isMet ? { state: "met", verdict: "pass" } : { state: "not met", verdict: "fail" };
}

function navigation({ results }: Report, found: readonly Section[]): Piece {
  if (found.length === 0) return undefined;
  const links = found.map((one) => markup`<a href="#${one.key}">${one.title} <b>${one.results.length}</b></a>`);
  return markup`<nav>${links}<a href="#all">All checks <b>${results.length}</b></a></nav>`;
}

function sectionOf(report: Report, { key, title, note, results }: Section): Markup {
  const cards = results.map((result) => card(report, result));
  return markup`<section id="${key}"><h2>${title} <span class="count">${results.length}</span></h2>${note && markup`<p class="note">${note}</p>`}
${cards}</section>`;
}

function index(report: Report): Markup {
  const { results } = report;
  if (results.length === 0) return markup`<p class="note">No check was judged.</p>`;
  const groups = byLevel(results).map(
    ([level, found]) =>
      markup`<section class="group ${level}" id="level-${level}"><h3>${level} <span class="count">${found.length}</span></h3><ul>${found.map((result) => row(report, result))}</ul>${unproved(unprovedAt(report, level))}</section>`,
  );
  const count = (matches: (result: CheckResult) => boolean) => results.filter(matches).length;
  const shownVerdicts = verdicts.map((verdict) => ({
    key: verdict,
    name: verdictNames[verdict].word,
    count: count((one) => one.verdict === verdict),
  }));
  const shownLevels = levels.map((level) => ({ key: level, name: level, count: count((one) => one.level === level) }));
  return markup`<section id="all"><h2>All checks <span class="count">${results.length}</span></h2>
${filters([shownVerdicts, shownLevels])}
${groups}</section>`;
}

function unproved(clauses: readonly Requirement[]): Piece {
  if (clauses.length === 0) return undefined;
  const rows = clauses.map(
    ({ id, obligation, text }) => markup`<li><code>${id}</code> <b>${obligation}</b> ${withCode(text)}</li>`,
  );
  return markup`<details class="unproved"><summary>${counted(clauses.length, "clause")} of this level that no check asked about</summary><ul class="clauses">${rows}</ul></details>`;
}

function foot({ header, footer }: Report): Markup {
  const hash = header?.requirements.sha256;
  const end = footer ? `${counted(footer.executed, "check")} executed` : "The run did not end";
  return markup`<footer><p>${end}.${hash !== undefined && markup` Clause texts by sha256 <code>${hash}</code>.`}</p></footer>`;
}
