import { differences } from "../../cases/match.ts";
import { isRecord } from "../../record.ts";
import { shown, shownShort } from "../plain.ts";
import { diffLines, folded } from "./diff.ts";
import { type Markup, markup } from "./markup.ts";

/** Beyond this many characters two values stand below one another, line by line. */
const maxBeside = 72;

/** Compares the expected with the actual value. */
export function comparison(expected: unknown, actual: unknown): Markup | undefined {
  if (expected === undefined && actual === undefined) return undefined;
  const isBoth = expected !== undefined && actual !== undefined;
  const isAlike = isBoth && (typeof expected === "string") === (typeof actual === "string");
  const [wanted, found] = isAlike ? align(expected, actual) : [expected, actual];
  const isShort = isBrief(wanted) && isBrief(found);
  if (isAlike && !isShort) return diff(lineByLine(wanted), lineByLine(found), ["expected", "actual"]);
  const show = isShort ? inOneLine : shown;
  return markup`<dl class="pair">${expected !== undefined && side("Expected", show(wanted), "wanted")}${actual !== undefined && side("Actual", show(found), "found")}</dl>`;
}

const inOneLine = (value: unknown): string => (typeof value === "string" ? value : shownShort(value, maxBeside));

const isBrief = (value: unknown): boolean => inOneLine(value).length <= maxBeside && !inOneLine(value).includes("\n");

/** Removes commas at line ends, so that the last element of a list does not differ by one. */
const lineByLine = (value: unknown): string => (typeof value === "string" ? value : shown(value).replace(/,$/gm, ""));

const side = (name: string, text: string, kind: "wanted" | "found"): Markup =>
  markup`<div><dt>${name}</dt><dd><pre class="${kind}">${text}</pre></dd></div>`;

const classes = { " ": "same", "-": "wanted", "+": "found", "⋯": "gap" } as const;
const signs = { " ": " ", "-": "−", "+": "+", "⋯": "⋯" } as const;

/** Green is how it should be, red is how it is. */
export function diff(wanted: string, found: string, names: readonly [string, string]): Markup {
  const lines = folded(diffLines(wanted.split("\n"), found.split("\n")));
  const legend = markup`<p class="legend"><span class="wanted">− ${names[0]}</span> <span class="found">+ ${names[1]}</span></p>`;
  return markup`${legend}<pre class="diff">${lines.map(({ sign, text }) => markup`<span class="${classes[sign]}">${signs[sign]} ${text}\n</span>`)}</pre>`;
}

/**
 * Both sides made alike where nothing is wrong, so that a comparison by lines shows only what is:
 * what fits an operator such as `{$type: integer}` becomes the value itself, and fields that nobody
 * asked for become a count.
 */
function align(expected: unknown, actual: unknown): readonly [unknown, unknown] {
  if (fits(expected, actual) && !isRecord(actual) && !Array.isArray(actual)) return [actual, actual];
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    const pairs = expected.map((one, index) => align(one, actual[index]));
    return [pairs.map(([one]) => one), pairs.map(([, other]) => other)];
  }
  if (!isRecord(expected) || !isRecord(actual)) return [expected, actual];
  const keys = Object.keys(expected).filter((key) => Object.hasOwn(actual, key));
  if (keys.length === 0) return [expected, actual];
  const pairs = new Map(keys.map((key) => [key, align(expected[key], actual[key])]));
  const further = Object.keys(actual).length - keys.length;
  const rest = further > 0 ? [["…", `${further} more, not asked about`]] : [];
  const wanted = Object.keys(expected).map((key) => [key, pairs.has(key) ? pairs.get(key)?.[0] : expected[key]]);
  const found = [...pairs].map(([key, [, value]]) => [key, value]);
  return [Object.fromEntries([...wanted, ...rest]), Object.fromEntries([...found, ...rest])];
}

function fits(expected: unknown, actual: unknown): boolean {
  try {
    return differences(expected, actual).length === 0;
  } catch {
    // A report by a stranger may hold an operator that makes no sense.
    return false;
  }
}
