import { isRecord } from "../../record.ts";
import type { CheckResult } from "../../result.ts";
import { shown, shownShort } from "../plain.ts";
import { askedOf, callOf, violationsOf } from "../violation.ts";
import { comparison, diff } from "./comparison.ts";
import { historyOf, outcomes, procName, type ShownCall, timesOf } from "./history.ts";
import { type Markup, markup, type Piece } from "./markup.ts";
import { timeline } from "./timeline.ts";

const maxRows = 1_000;

/** Evidence with its own rendering; any other evidence is shown unchanged. */
const known = new Set(
  "expected actual at called call calls history next disk changed findings stderr stack".split(" "),
);

/** All that is shown to prove a verdict: what one reads at once, then what one opens. */
export function evidenceOf(result: CheckResult): Markup {
  const { evidence = {} } = result;
  const { actual, at, disk, changed, findings, stderr, stack } = evidence;
  const history = historyOf(evidence);
  const others = Object.entries(evidence).filter(([name]) => !known.has(name));
  return markup`${place("In", typeof at === "string" ? at : undefined)}
${place("Call", callOf(evidence))}
${Array.isArray(findings) && findingTable(result)}
${comparison(askedOf(evidence), actual)}
${Array.isArray(changed) && changes(changed)}
${timeline(history)}
${history.length > 0 && fold(`Calls (${history.length})`, callTable(history))}
${isRecord(disk) && Object.keys(disk).length > 0 && fold(`Files afterwards (${Object.keys(disk).length})`, files(disk))}
${printed("What the target wrote to stderr", stderr)}
${printed("Where the suite failed", stack)}
${others.map(([name, value]) => fold(name, pre(value)))}`;
}

const pre = (value: unknown): Markup => markup`<pre>${shown(value)}</pre>`;

const fold = (name: string, inner: Piece): Markup => markup`<details><summary>${name}</summary>${inner}</details>`;

/** Open, since it is often all that a program says before it dies. */
const printed = (name: string, value: unknown): Piece =>
  typeof value === "string" &&
  value.trim() !== "" &&
  markup`<details open><summary>${name}</summary>${pre(value.trim())}</details>`;

const place = (name: string, value: string | undefined): Piece =>
  value !== undefined && markup`<p class="place">${name} <code>${value}</code></p>`;

function findingTable(result: CheckResult): Markup {
  const found = violationsOf(result);
  const rows = found
    .slice(0, maxRows)
    .map(
      ({ path = "", pointer = "", line, message }) =>
        markup`<tr><td><code>${path}${line !== undefined && `:${line}`} ${pointer}</code></td><td>${message}</td></tr>`,
    );
  return markup`<div class="scroll" tabindex="0"><table><thead><tr><th>Where</th><th>What</th></tr></thead><tbody>${rows}</tbody></table></div>${rest(found.length)}`;
}

function changes(changed: readonly unknown[]): Markup {
  const rows = changed.filter(isRecord).map(({ path, before, after }) => {
    const name = `${shown(path)}${before === undefined ? " is new" : after === undefined ? " is gone" : " has changed"}`;
    return markup`<figure class="file"><figcaption>${name}</figcaption>${diff(textOf(before), textOf(after), ["before, as it should be", "after"])}</figure>`;
  });
  return markup`${rows}`;
}

const textOf = (value: unknown): string => (value === undefined ? "" : shown(value));

function callTable(calls: readonly ShownCall[]): Markup {
  const rows = calls.slice(0, maxRows).map((call) => {
    const { op, args, outcome, reply, isSuspect } = call;
    const answer = reply !== undefined && markup` <code class="quiet">${shownShort(reply, 300)}</code>`;
    return markup`<tr class="${isSuspect && "suspect"}"><td>${procName(call)}</td><td><code>${op}</code> <code class="quiet">${shownShort(args, 300)}</code></td><td>${outcomes[outcome]}${isSuspect && "; nothing explains this"}${answer}</td><td class="quiet">${timesOf(call)}</td></tr>`;
  });
  return markup`<div class="scroll" tabindex="0"><table class="calls"><tbody>${rows}</tbody></table></div>${rest(calls.length)}`;
}

const rest = (count: number): Piece =>
  count > maxRows && markup`<p class="quiet">${count - maxRows} more are in the report itself.</p>`;

const files = (disk: Readonly<Record<string, unknown>>): Markup =>
  markup`${Object.entries(disk).map(([path, text]) => {
    if (text === "") return markup`<p class="place"><code>${path}</code>${!path.endsWith("/") && " (empty)"}</p>`;
    return markup`<figure class="file"><figcaption>${path}</figcaption>${pre(text)}</figure>`;
  })}`;
