import type { Verdict } from "../../check.ts";
import type { CheckResult } from "../../result.ts";
import type { Report } from "../report.ts";
import { again, counted } from "../wording.ts";
import { clauses } from "./clause.ts";
import { evidenceOf } from "./evidence.ts";
import { type Markup, markup } from "./markup.ts";

/** Every verdict has a word and a sign of its own, since not everybody sees its colour. */
export const verdictNames: Readonly<Record<Verdict, { readonly word: string; readonly sign: string }>> = {
  fail: { word: "failed", sign: "✕" },
  error: { word: "suite error", sign: "!" },
  untestable: { word: "untestable", sign: "?" },
  warn: { word: "warning", sign: "▲" },
  pass: { word: "passed", sign: "✓" },
  na: { word: "not applicable", sign: "–" },
};

/** The anchor of a check on the page; the matrix links there as well. */
export const anchorOf = (check: string): string => `check-${check.replace(/[^\w/.-]/g, "_")}`;

/** So many of one verdict, in words. */
export const tally = (count: number, verdict: Verdict): string =>
  verdict === "warn" || verdict === "error"
    ? counted(count, verdictNames[verdict].word)
    : `${count} ${verdictNames[verdict].word}`;

export const tag = (verdict: Verdict): Markup => {
  const { word, sign } = verdictNames[verdict];
  return markup`<span class="tag ${verdict}"><span aria-hidden="true">${sign}</span> ${word}</span>`;
};

/** A check that deserves a look, with all there is to say. */
export function card(report: Report, result: CheckResult): Markup {
  const { check, title, level, verdict, message } = result;
  const command = again(report, result);
  return markup`<article class="card ${verdict}" id="${anchorOf(check)}">
<header>${tag(verdict)} <code>${check}</code> <span class="quiet">${level}</span></header>
<h3>${title}</h3>
${message !== undefined && markup`<p class="message">${message}</p>`}
${clauses(result, report)}
${evidenceOf(result)}
${command !== undefined && markup`<p class="again">To see it again, add <code>${command}</code></p>`}
</article>`;
}

/** A line of the index; what passed or did not apply unfolds here, the rest has a card. */
export function row(report: Report, result: CheckResult): Markup {
  const { check, title, verdict, message, ms } = result;
  const { word, sign } = verdictNames[verdict];
  const line = markup`<span class="sign ${verdict}" role="img" aria-label="${word}">${sign}</span><code>${check}</code><span class="title">${title}</span><span class="quiet">${ms} ms</span>`;
  if (hasCard(result)) return markup`<li class="row ${verdict}"><a href="#${anchorOf(check)}">${line}</a></li>`;
  return markup`<li class="row ${verdict}" id="${anchorOf(check)}"><details><summary>${line}</summary><div class="more">${message !== undefined && markup`<p>${message}</p>`}${clauses(result, report)}${evidenceOf(result)}</div></details></li>`;
}

const hasCard = ({ verdict }: CheckResult): boolean => verdict !== "pass" && verdict !== "na";
