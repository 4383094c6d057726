import { knownFields } from "./definition.ts";
import { faultOf } from "./yaml-document.ts";

/** One position that was read differently from YAML. */
export interface Repair {
  /** The line in the front matter, from 0. */
  readonly line: number;
  readonly field?: string;
  readonly reason: string;
  readonly fix: string;
}

/** A field at the margin with everything up to the next one. */
interface Entry {
  readonly key: string;
  /** The text after the colon. */
  readonly first: string;
  readonly rest: readonly string[];
  readonly line: number;
  /** No blank follows the colon. */
  readonly isGlued: boolean;
}

/**
 * Repairs front matter that YAML rejects: a field whose text looks like structure becomes quoted,
 * line for line. Undefined if no reading or more than one is possible, as with nested structures
 * and unclosed quotes.
 */
export function repairYaml(yaml: string): { yaml: string; repairs: Repair[] } | undefined {
  const repairs: Repair[] = [];
  let lines = yaml.split("\n");
  const tabbed = lines.findIndex((line) => /^\t/.test(line));
  if (tabbed >= 0 && !lines.some((line) => /^ +\S/.test(line))) {
    repairs.push({ line: tabbed, reason: "a tab indents this line, which YAML forbids", fix: "indent with blanks" });
    lines = lines.map((line) => line.replace(/^\t+/, (tabs) => "  ".repeat(tabs.length)));
  }

  const anchors = new Set([...yaml.matchAll(/&([^\s,[\]{}]+)/g)].map(([, name = ""]) => name));
  const cut = entriesOf(lines);
  if (!cut) return undefined;
  const written: string[] = lines.slice(0, cut[0]?.line ?? lines.length);
  for (let at = 0; at < cut.length; ) {
    const own = cut[at] as Entry;
    const [entry, taken] = withProse(cut, at, anchors);
    at += taken;
    const reason = reasonToMend(entry, taken, rawText(entry, lines), anchors);
    if (reason === undefined) {
      written.push(...lines.slice(entry.line, entry.line + 1 + entry.rest.length));
      continue;
    }
    const text = plainText(entry);
    if (text === undefined) return undefined;
    repairs.push({ line: own.line, field: own.key, reason, fix: wayToRepair(own, reason) });
    written.push(`${own.key}: ${JSON.stringify(text)}`, ...entry.rest.map(() => ""));
  }
  return repairs.length > 0 ? { yaml: written.join("\n"), repairs } : undefined;
}

function reasonToMend(entry: Entry, taken: number, text: string, anchors: ReadonlySet<string>): string | undefined {
  if (entry.isGlued) return "no blank follows the colon";
  return taken > 1 ? "its text goes on without indentation" : faultOf(text, anchors);
}

function wayToRepair({ key, first, isGlued }: Entry, reason: string): string {
  if (isGlued) return `put a blank after ${key}:`;
  if (reason.includes("backslash")) return "double the backslash";
  if (!textFields.has(key)) return "put the value in double quotes";
  if (/^["']/.test(first)) return `indent the text below "${key}: |", without quotes`;
  return `put the text in double quotes, or indent it below "${key}: |"`;
}

/**
 * Line breaks that the client's own generator writes as `\n` into an unquoted text; elsewhere
 * `C:\new` keeps its backslash.
 */
export const withLineBreaks = (text: string): string =>
  /\\n(\\n|<|- )/.test(text) ? text.replaceAll("\\n", "\n") : text;

/** Fields whose text may run over many lines. */
const textFields: ReadonlySet<string> = new Set(["description", "prompt", "initialPrompt"]);

const rawText = (entry: Entry, lines: readonly string[]): string =>
  lines.slice(entry.line, entry.line + 1 + entry.rest.length).join("\n");

function entriesOf(lines: readonly string[]): Entry[] | undefined {
  const entries: (Entry & { rest: string[] })[] = [];
  for (const [line, text] of lines.entries()) {
    const field = fieldOf(text);
    const last = entries.at(-1);
    if (field) entries.push({ ...field, rest: [], line });
    else if (last) last.rest.push(text);
    else if (!/^\s*(#.*)?$/.test(text)) return undefined;
  }
  return entries;
}

function fieldOf(line: string): Pick<Entry, "key" | "first" | "isGlued"> | undefined {
  const [, , key, first = ""] = /^(["']?)([\p{L}_][\p{L}\p{N}_.-]*)\1[ \t]*:(?:[ \t]+(.*))?$/su.exec(line) ?? [];
  if (key !== undefined) return { key, first: first.trim(), isGlued: false };
  const [, glued, text = ""] = /^([A-Za-z]+):([\S\u00a0].*)$/s.exec(line) ?? [];
  return glued !== undefined && knownFields.has(glued) ? { key: glued, first: text.trim(), isGlued: true } : undefined;
}

/**
 * A text that goes on at the margin runs to the next known field, over lines that only look like
 * fields, such as `user: "…"`.
 */
function withProse(entries: readonly Entry[], at: number, anchors: ReadonlySet<string>): [entry: Entry, taken: number] {
  const own = entries[at] as Entry;
  if (!textFields.has(own.key)) return [own, 1];
  const next = entries.findIndex(({ key }, index) => index > at && knownFields.has(key));
  const strangers = entries.slice(at + 1, next < 0 ? entries.length : next);
  const isProse = (line: string) => /^[^\s#]/.test(line);
  const goesOn =
    own.rest.some(isProse) ||
    strangers.some(
      ({ key, first, rest }) =>
        rest.some((line) => isProse(line) && !/^-\s/.test(line)) ||
        (rest.some((line) => line.trim() !== "") &&
          faultOf([`${key}: ${first}`, ...rest].join("\n"), anchors) !== undefined),
    );
  if (!goesOn) return [own, 1];
  const rest = strangers.flatMap(({ key, first, rest }) => [`${key}: ${first}`.trim(), ...rest]);
  return [{ ...own, rest: [...own.rest, ...rest] }, strangers.length + 1];
}

/** The text of an entry, if it can be nothing but text. */
function plainText({ key, first, rest }: Entry): string | undefined {
  if (!textFields.has(key)) {
    const value = first.replace(/\s#.*$/s, "").trim();
    const goesOn = rest.some((line) => !/^\s*(#.*)?$/.test(line));
    const isStructure = /^\{|^\[(?!.*\]$)/s.test(value);
    // Names with commas, each in quotes, stay as they are: the quotes are not around the whole.
    return goesOn || isStructure || value === "" ? undefined : unquoted(value, /["'],/.test(value));
  }
  if (rest.some((line) => /^[?:](\s|$)/.test(line))) return undefined;
  const lines = rest.some((line) => /^[^\s#]/.test(line)) ? rest : rest.filter((line) => !line.startsWith("#"));
  const head = first.replace(/^[|>][+-]?\d?(\s+|$)/, "");
  const text = unquoted([head, ...lines.map((line) => line.trim())].join("\n").trim(), false);
  return text === undefined ? undefined : withLineBreaks(text);
}

/** A text without the quotes around it; undefined if the first is never closed. */
function unquoted(text: string, isKept: boolean): string | undefined {
  const quote = /^["']/.exec(text)?.[0];
  if (quote === undefined || isKept) return text;
  if (text.length === 1 || !text.endsWith(quote)) return text.lastIndexOf(quote) > 0 ? text : undefined;
  const inner = text.slice(1, -1);
  if (quote === "'") return inner.replaceAll("''", "'");
  return inner.replace(/\\([n"\\])/g, (_, char: string) => (char === "n" ? "\n" : char));
}
