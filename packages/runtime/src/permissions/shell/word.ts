import { broken, deeper, match, type Reader } from "./reader.ts";
import type { Word } from "./script.ts";

/** Reads the word that begins here; undefined where none does. With `isText`, the whole text as if it stood in double quotes. */
export function readWord(reader: Reader, isText = false): Word | undefined {
  const { source } = reader;
  const start = reader.at;
  let text = "";
  let known = Number.POSITIVE_INFINITY;
  let isGlob = false;
  const unknown = (from: number): void => {
    known = Math.min(known, text.length);
    text += source.slice(from, reader.at);
  };

  if (isText) quoted(undefined);
  while (reader.at < source.length) {
    const char = source.charAt(reader.at);
    const next = source.charAt(reader.at + 1);
    if ((char === "<" || char === ">") && next === "(") nested();
    else if (/[ \t\n;&|()<>]/.test(char)) break;
    else if (char === "\\") {
      if (next !== "\n") text += next || "\\";
      reader.at += 2;
    } else if (char === "'") single();
    else if (char === '"' || (char === "$" && next === '"')) {
      reader.at += char === "$" ? 2 : 1;
      quoted('"');
    } else if (char === "$" || char === "`") expansion(false);
    else {
      if (char === "*" || char === "?" || char === "[") isGlob = true;
      reader.at += 1;
      if (isExpanded(char, next)) unknown(reader.at - 1);
      else text += char;
    }
  }
  reader.at = Math.min(reader.at, source.length);
  if (reader.at === start) return undefined;
  const raw = source.slice(start, reader.at);
  // Alone, a bracket is the name of a program.
  return { text, raw, known: Math.min(known, text.length), isGlob: isGlob && raw !== "[" };

  /** Braces make several words of one, and `~name` is somebody's home. */
  function isExpanded(char: string, next: string): boolean {
    const isFirst = reader.at - 1 === start;
    if (char === "{") return next !== "}" && !(isFirst && /^[ \t\n;&|]?$/.test(next));
    return char === "~" && isFirst && !/^[/ \t\n;&|()<>]?$/.test(next);
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
        if (next !== "\n") text += /["$`\\]/.test(next) ? next : `\\${next}`;
        reader.at += 2;
      } else if (char === "$" || char === "`") expansion(true);
      else {
        text += char;
        reader.at += 1;
      }
    }
    reader.at += end === undefined ? 0 : 1;
  }

  function nested(): void {
    const from = reader.at;
    reader.at += 2;
    reader.readNested();
    unknown(from);
  }

  function expansion(isQuoted: boolean): void {
    const from = reader.at;
    const two = source.slice(from, from + 2);
    const name = match(reader, /\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])|\$\{[A-Za-z_][A-Za-z0-9_]*\}/y);
    if (two === "$(") {
      nested();
      return;
    }
    if (name !== undefined) reader.at += name.length;
    else if (two === "${") deeper(reader, parameter);
    else if (two === "$'" && !isQuoted) {
      const found = match(reader, /\$'(?:[^'\\]|\\[\s\S])*'/y);
      if (found === undefined) broken(reader, "a quote is not closed");
      reader.at = found === undefined ? source.length : from + found.length;
    } else if (two === "$[") {
      reader.doubts.add("arithmetic is not followed");
      reader.at += 2;
    } else if (two.startsWith("`")) backticks(isQuoted);
    else {
      text += "$";
      reader.at += 1;
      return;
    }
    unknown(from);
  }

  function parameter(): void {
    reader.doubts.add("a parameter is expanded in a way that is not followed");
    reader.at += 2;
    for (let char = source[reader.at]; char !== "}"; char = source[reader.at]) {
      if (char === undefined) {
        broken(reader, "a parameter is not closed");
        return;
      }
      if (char === "\\") reader.at += 2;
      else if (char === "$" || char === "`") expansion(true);
      else reader.at += 1;
    }
    reader.at += 1;
  }

  function backticks(isQuoted: boolean): void {
    const found = match(reader, /`(?:[^`\\]|\\[\s\S])*`/y);
    if (found === undefined) broken(reader, "a backtick is not closed");
    reader.at = found === undefined ? source.length : reader.at + found.length;
    const inner = (found ?? "").slice(1, -1);
    reader.readInner(inner.replace(isQuoted ? /\\([$`\\"])/g : /\\([$`\\])/g, "$1"), false);
  }
}
