import { loadRequirements } from "../../requirement.ts";
import type { CheckResult } from "../../result.ts";
import type { MatrixColumn } from "../matrix-column.ts";
import type { Report } from "../report.ts";
import { counted } from "../wording.ts";
import { anchorOf, tag } from "./check.ts";
import { clauses, withCode } from "./clause.ts";
import { evidenceOf } from "./evidence.ts";
import { isWebAddress } from "./link.ts";
import { type Markup, markup, type Piece } from "./markup.ts";

/** Where the matrix tells of a column, or of one check in it. */
export const localAnchor = ({ subject, revision }: MatrixColumn, check?: string): string =>
  anchorOf(`${subject}-${revision}${check === undefined ? "" : `-${check}`}`);

/** What was found of one implementation: how it was reached, then each check that did not pass. */
export function findingsOf(column: MatrixColumn): Markup {
  const { subject, homepage, revision, notes = [], remarks, findings, command } = column;
  const known: Known = { clauses: new Map(loadRequirements(revision).rows.map((row) => [row.id, row])) };
  const link = isWebAddress(homepage) && markup`<p><a href="${homepage}" rel="noreferrer nofollow">${homepage}</a></p>`;
  const whole = command !== undefined && markup`<p class="again">All of it: <code>${command}</code></p>`;
  return markup`<section class="findings" id="${localAnchor(column)}"><h2>${subject} <span class="count">revision ${revision}, ${counted(findings.length, "finding")}</span></h2>
${link}${[...notes, ...remarks].map((note) => markup`<p class="note">${withCode(note)}</p>`)}${whole}
<ul>${findings.map((finding) => findingOf(column, finding, known))}</ul></section>`;
}

function findingOf(column: MatrixColumn, finding: CheckResult, known: Known): Markup {
  const { check, title, verdict, message } = finding;
  return markup`<li class="row ${verdict}" id="${localAnchor(column, check)}"><details><summary>${tag(verdict)}<code>${check}</code><span class="title">${title}</span></summary><div class="more">
${message !== undefined && markup`<p class="message">${message}</p>`}${clauses(finding, known)}${evidenceOf(finding)}${again(column, finding)}</div></details></li>`;
}

type Known = Pick<Report, "clauses">;

const again = ({ command, revision }: MatrixColumn, { check }: CheckResult): Piece =>
  command !== undefined &&
  markup`<p class="again">To see it again: <code>${command} --revision ${revision} --only ${check}</code></p>`;
