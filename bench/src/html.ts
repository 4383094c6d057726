import { arch, cpus, release, totalmem, type } from "node:os";
import { type Result, verdictOf } from "./measure.ts";

/** Where and when a run was made. */
export interface Circumstances {
  readonly machine: string;
  readonly at: Date;
}

/** This machine, as far as it says what it is. */
export function machineHere(): string {
  const [{ model } = { model: "" }, ...more] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${more.length + 1} x ${model.trim() || arch()}, ${gigabytes} GB, ${type()} ${release()}, Node ${process.versions.node}`;
}

/** What each goal measures, from the table of `bench/README.md`. */
export function describedIn(readme: string): ReadonlyMap<string, string> {
  const rows = readme.split("\n").filter((line) => /^\| [A-Zp][\w.]*/.test(line));
  return new Map(
    rows.flatMap((row) => {
      const [goals = "", what = ""] = row.slice(2).split(" | ");
      return goalsIn(goals).map((goal) => [goal, what] as const);
    }),
  );
}

/** `P2.mixed, -failures` and `P9.warm, .cold` as whole names. */
function goalsIn(cell: string): string[] {
  const [first = "", ...others] = cell.split(", ");
  const base = first.split(".")[0] ?? first;
  const whole = (other: string) =>
    other.startsWith("-") ? `${first}${other}` : other.startsWith(".") ? `${base}${other}` : other;
  return [first, ...others.map(whole)];
}

/**
 * All results as one page that needs no other file: a bar for each, the limit, the range of its
 * rounds and, of a ratio, what it was measured against.
 */
export function htmlOf(
  results: Readonly<Record<string, Result>>,
  described: ReadonlyMap<string, string>,
  { machine, at }: Circumstances,
): string {
  const all = Object.entries(results);
  const held = all.filter(([, { holds }]) => holds).length;
  const rows = all.map(([goal, result]) => rowOf(goal, described.get(goal) ?? "", result));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Measurements of Troupe</title>
<style>${css}</style>
<h1>Measurements of Troupe</h1>
<p>${at.toISOString().slice(0, 10)}, on ${escaped(machine)}. ${held} of ${all.length} goals hold.</p>
<p class="key"><i class="bar holds"></i> holds <i class="bar"></i> falls short <i class="mark limit"></i> the limit
<i class="mark peer"></i> what it is measured against <i class="range"></i> all rounds</p>
<table>
${rows.join("\n")}
</table>
</html>
`;
}

function rowOf(goal: string, what: string, result: Result): string {
  const { value, goal: limit, holds, rounds } = result;
  const bound = Number(limit.replace(/[^\d.]/g, ""));
  const isRatio = /against|^the same where/.test(what);
  const widest = Math.max(bound, value, ...rounds, isRatio ? 1 : 0) * 1.05 || 1;
  const at = (figure: number) => `${((figure / widest) * 100).toFixed(1)}%`;
  const [low, high] = [Math.min(...rounds), Math.max(...rounds)];
  return `<tr><th>${escaped(goal)}</th><td class="what">${escaped(what)}</td>
<td class="chart"><i class="bar${holds ? " holds" : ""}" style="width:${at(value)}"></i>
<i class="range" style="left:${at(low)};width:${at(high - low)}"></i>
${isRatio ? `<i class="mark peer" style="left:${at(1)}"></i>` : ""}<i class="mark limit" style="left:${at(bound)}"></i></td>
<td class="value">${value}</td><td>${escaped(limit)}</td><td>${verdictOf(result)}</td></tr>`;
}

const escaped = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/`([^`]*)`/g, "<code>$1</code>");

const css = `
:root { color-scheme: light dark; --good: #2f9e5f; --short: #d97706; --peer: #6b7280; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .45rem .6rem; text-align: left; vertical-align: middle; border-top: 1px solid #8884; white-space: nowrap; }
td.what { white-space: normal; width: 34%; }
td.value { text-align: right; font-variant-numeric: tabular-nums; font-weight: 600; }
td.chart { position: relative; width: 34%; min-width: 12rem; padding: 0; }
i { display: inline-block; }
.chart .bar { position: absolute; left: 0; top: calc(50% - .45rem); }
.bar { height: .9rem; width: 1.2rem; background: var(--short); border-radius: 2px; vertical-align: middle; }
.bar.holds { background: var(--good); }
.chart .mark { position: absolute; top: 15%; height: 70%; }
.mark { width: 0; height: 1rem; border-left: 3px solid currentColor; vertical-align: middle; margin-left: -1px; }
.mark.peer { border-left: 3px dotted var(--peer); }
.chart .range { position: absolute; top: calc(50% - 1px); }
.range { height: 0; width: 1.2rem; border-top: 2px solid currentColor; vertical-align: middle; opacity: .6; }
.key i { margin-left: 1.2rem; }
`;
