import type { CheckResult } from "../../result.ts";
import type { Report } from "../report.ts";
import { type Markup, markup } from "./markup.ts";

/** The clauses a check asks about, in the words it was judged by. */
export function clauses(
  { requirements, obligation }: CheckResult,
  { clauses: known }: Pick<Report, "clauses">,
): Markup {
  const rows = requirements.map((id) => {
    const clause = known.get(id);
    return markup`<li><code>${id}</code> <b>${obligation}</b> ${clause && withCode(clause.text)} ${clause && markup`<span class="quiet">${clause.source}</span>`}</li>`;
  });
  return markup`<ul class="clauses">${rows}</ul>`;
}

/** Text between backticks becomes code. */
export const withCode = (text: string): Markup =>
  markup`${text.split("`").map((part, index) => (index % 2 === 1 ? markup`<code>${part}</code>` : part))}`;
