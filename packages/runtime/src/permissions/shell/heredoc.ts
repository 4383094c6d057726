import type { Word } from "./script.ts";

/** A here-document whose body begins behind the next line break. */
export interface HeredocStart {
  readonly delimiter: string;
  /** The shell puts nothing into it. */
  readonly isQuoted: boolean;
  /** Tabs in front of its lines do not count. */
  readonly isIndented: boolean;
  /** Where the body goes: to the command that reads it. */
  readonly fed: Word[];
}

/** The body that begins at `from`, and where the text goes on behind its last line. */
export function readHeredoc(
  source: string,
  from: number,
  { delimiter, isQuoted, isIndented }: HeredocStart,
): { readonly body: string; readonly end: number; readonly problem?: string } {
  const lines: string[] = [];
  for (let at = from; at < source.length; ) {
    const end = source.indexOf("\n", at);
    const written = source.slice(at, end < 0 ? undefined : end);
    const line = isIndented ? written.replace(/^\t+/, "") : written;
    at = end < 0 ? source.length : end + 1;
    if (line === delimiter) return { body: lines.join("\n"), end: at };
    // Two lines become one there, which may be the last: where the body ends depends on the shell.
    if (!isQuoted && line.endsWith("\\")) {
      return { body: source.slice(from), end: source.length, problem: "a here-document joins its lines" };
    }
    lines.push(line);
  }
  return { body: lines.join("\n"), end: source.length, problem: "a here-document does not end" };
}
