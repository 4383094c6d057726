import { broken, deeper, match, type Reader, sums } from "./reader.ts";
import type { Hole, Word } from "./script.ts";

/**
 * Reads the word that begins here; undefined where none does. With `isText`, the whole text as if
 * it stood in double quotes.
 */
export function readWord(reader: Reader, isText = false): Word | undefined {
  const { source } = reader;
  const start = reader.at;
  let text = "";
  let isGlob = false;
  const holes: Hole[] = [];
  const hole = (from: number, isQuoted: boolean, what: Pick<Hole, "variable" | "output"> = {}): void => {
    const at = text.length;
    text += source.slice(from, reader.at);
    holes.push({ from: at, to: text.length, isQuoted, ...what });
  };

  if (isText) quoted(undefined);
  while (reader.at < source.length) {
    const char = source.charAt(reader.at);
    const next = source.charAt(reader.at + 1);
    if ((char === "<" || char === ">") && next === "(") nested(false);
    else if (/[ \t\n;&|()<>]/.test(char)) break;
    else if (char === "\\") {
      if (next === "\n") broken(reader, "a line goes on in the middle of a word");
      else text += next || "\\";
      reader.at += 2;
    } else if (char === "'") single();
    else if (char === '"') {
      reader.at += 1;
      quoted('"');
    } else if (char === "$" || char === "`") expansion(false);
    else {
      if (char === "*" || char === "?" || char === "[") isGlob = true;
      reader.at += 1;
      if (isExpanded(char, next)) hole(reader.at - 1, false);
      else text += char;
    }
  }
  reader.at = Math.min(reader.at, source.length);
  if (reader.at === start) return undefined;
  const raw = source.slice(start, reader.at);
  // Alone, a bracket is the name of a program.
  return { text, raw, known: holes[0]?.from ?? text.length, isGlob: isGlob && raw !== "[", holes };

  /**
   * Braces make several words of one, `~name` is somebody's home, and behind `=` or `:` even `~`
   * may be one.
   */
  function isExpanded(char: string, next: string): boolean {
    const isFirst = reader.at - 1 === start;
    if (char === "{") {
      // A second `}` in the same word would close the first brace as well.
      const rest = source.slice(reader.at - 1, reader.at + 200);
      const isEmpty = /^\{[\w-]*\}[^}\s;&|()<>"'$\\`]*(?:[\s;&|()<>]|$)/.test(rest) && rest.length < 201;
      return !isEmpty && !(isFirst && /^[ \t\n;&|]?$/.test(next));
    }
    if (char !== "~") return false;
    return isFirst ? !/^[/ \t\n;&|()<>]?$/.test(next) : /[=:]/.test(source.charAt(reader.at - 2));
  }

  function single(): void {
    const end = source.indexOf("'", reader.at + 1);
    if (end < 0) broken(reader, "a quote is not closed");
    text += source.slice(reader.at + 1, end < 0 ? undefined : end);
    reader.at = end < 0 ? source.length : end + 1;
  }

  /** Up to the sign that ends it, or to the end of the text. */
  function quoted(end: string | undefined): void {
    for (let char = source[reader.at]; char !== end; char = source[reader.at]) {
      if (char === undefined) {
        broken(reader, "a quote is not closed");
        return;
      }
      if (char === "\\") {
        const next = source[reader.at + 1] ?? "";
        if (next === "\n") broken(reader, "a line goes on in the middle of a word");
        else text += /["$`\\]/.test(next) ? next : `\\${next}`;
        reader.at += 2;
      } else if (char === "$" || char === "`") expansion(true);
      else {
        text += char;
        reader.at += 1;
      }
    }
    reader.at += end === undefined ? 0 : 1;
  }

  function nested(isQuoted: boolean): void {
    const from = reader.at;
    const isOutput = source[from] === "$";
    const first = reader.items.length;
    reader.at += 2;
    reader.readNested();
    if (source[from + 2] === "(") sums(reader, from);
    // Without the parentheses that stand around them.
    const output = reader.items.slice(first + 1, -1);
    hole(from, isQuoted, isOutput ? { output } : {});
  }

  function expansion(isQuoted: boolean): void {
    const from = reader.at;
    const two = source.slice(from, from + 2);
    const name = match(reader, /\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])|\$\{[A-Za-z_][A-Za-z0-9_]*\}/y);
    if (two === "$(") {
      nested(isQuoted);
      return;
    }
    if (name !== undefined) {
      reader.at += name.length;
      // Quotes in such parentheses count, as if they were those of `$(…)`.
      if (name === "$$" && source[reader.at] === "(") broken(reader, "a parenthesis follows `$$`");
      hole(from, isQuoted, { variable: name.replace(/[${}](?=.)|\}$/g, "") });
      return;
    }
    if (two === "${") deeper(reader, parameter);
    else if (two === "$'" && !isQuoted) {
      const found = match(reader, /\$'(?:[^'\\]|\\[\s\S])*'/y);
      if (found === undefined) broken(reader, "a quote is not closed");
      reader.at = found === undefined ? source.length : from + found.length;
    } else if (two === '$"' && !isQuoted) {
      reader.doubts.add("a text is translated, and nobody knows into what");
      reader.at += 2;
      quoted('"');
      return;
    } else if (two === "$[") {
      reader.at += match(reader, /\$\[[^\]]*/y)?.length ?? 0;
      sums(reader, from);
      reader.at = from + 2;
    } else if (two === "$\\" && source[from + 2] === "\n") {
      broken(reader, "a line goes on in the middle of a word");
      reader.at += 1;
    } else if (two.startsWith("`")) backticks(isQuoted);
    else {
      text += "$";
      reader.at += 1;
      return;
    }
    hole(from, isQuoted);
  }

  function parameter(): void {
    reader.doubts.add("a parameter is expanded in a way that is not followed");
    reader.at += 2;
    for (let char = source[reader.at]; char !== "}"; char = source[reader.at]) {
      if (char === undefined) {
        broken(reader, "a parameter is not closed");
        return;
      }
      // Where it ends depends on quotes in it, which count in some places and not in others.
      if (/['"\\{]/.test(char)) broken(reader, "a parameter has quotes in it");
      if (char === "\\") reader.at += 2;
      else if (char === "$" || char === "`") expansion(true);
      else reader.at += 1;
    }
    reader.at += 1;
  }

  /**
   * The meaning of a backslash in them depends on where they stand, so that nothing is sure about
   * them.
   */
  function backticks(isQuoted: boolean): void {
    const found = match(reader, /`(?:[^`\\]|\\[\s\S])*`/y);
    if (found === undefined) broken(reader, "a backtick is not closed");
    else if (isText) broken(reader, "a here-document runs what stands in backticks");
    else reader.doubts.add("what stands in backticks is not followed; write $(…)");
    reader.at = found === undefined ? source.length : reader.at + found.length;
    const inner = (found ?? "").slice(1, -1);
    reader.readInner(inner.replace(isQuoted ? /\\([$`\\"])/g : /\\([$`\\])/g, "$1"), false);
  }
}
