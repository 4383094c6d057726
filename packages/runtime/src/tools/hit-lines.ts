import { type Hit, linesOf } from "./text-search.ts";

/** How what was found is shown. */
export interface HitLayout {
  readonly mode: "content" | "files_with_matches" | "count";
  /** How many lines around a hit. */
  readonly before: number;
  readonly after: number;
  readonly isNumbered: boolean;
}

const lineCharacters = 500;

/** The lines of a search about one file. */
export function hitLines(name: string, text: string, hits: readonly Hit[], layout: HitLayout): readonly string[] {
  const { mode, before, after, isNumbered } = layout;
  if (mode === "files_with_matches") return [name];
  if (mode === "count") return [`${name}:${hits.length}`];
  const lines = linesOf(text);
  const columns = new Map(hits.map(({ line, column }) => [line, column]));
  const wanted = new Set<number>();
  for (const { line } of hits) for (let at = line - before; at <= line + after; at += 1) wanted.add(at);
  const shown: string[] = [];
  let last: number | undefined;
  for (const at of wanted) {
    const line = lines[at];
    if (line === undefined) continue;
    if (last !== undefined && at > last + 1 && before + after > 0) shown.push("--");
    last = at;
    const column = columns.get(at);
    const sign = column === undefined ? "-" : ":";
    shown.push([name, ...(isNumbered ? [at + 1] : []), around(line, column ?? 0)].join(sign));
  }
  return shown;
}

function around(line: string, column: number): string {
  if (line.length <= lineCharacters) return line;
  const from = Math.max(0, column - lineCharacters / 2);
  return `… ${line.slice(from, from + lineCharacters).toWellFormed()} … [cut: the line has ${line.length} characters]`;
}
