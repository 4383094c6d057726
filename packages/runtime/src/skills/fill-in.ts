import { bounded } from "../loop/outcome.ts";

/** No skill says more than this many characters. */
export const skillCharacters = 100_000;

const placeholder = /\\?\$(?:(ARGUMENTS)(?:\[(\d+)\])?|(\d+))(?!\w)/g;

/**
 * The text of a skill with its arguments: `$ARGUMENTS` is all of them as they were written,
 * `$ARGUMENTS[0]` and `$0` the first word, and a single backslash in front keeps the dollar. A word
 * that was not given leaves its place as it is; arguments without a place come last.
 */
export function fillIn(text: string, args = ""): string {
  const words = wordsOf(args);
  let isUsed = false;
  const filled = replaceWithin(text, placeholder, (match) => {
    const [found, all, listed, index] = match;
    const slash = found.startsWith("\\") ? "\\" : "";
    if (slash && text[match.index - 1] !== "\\") return found.slice(1);
    const place = listed ?? index;
    const value = place === undefined && all ? args : words[Number(place)];
    isUsed ||= value !== undefined;
    return value === undefined ? found : slash + value;
  });
  const rest = !isUsed && args.trim() !== "" ? `\n\nARGUMENTS: ${args}` : "";
  return bounded(filled + rest, "the skill and its arguments are too long", skillCharacters);
}

/**
 * Replaces within bounds: a text that names one place ten thousand times cannot fill the memory.
 */
export function replaceWithin(text: string, pattern: RegExp, valueFor: (match: RegExpExecArray) => string): string {
  let room = skillCharacters;
  let end = 0;
  let replaced = "";
  for (const match of text.matchAll(pattern)) {
    const value = valueFor(match).slice(0, room);
    room -= value.length;
    replaced += text.slice(end, match.index) + value;
    end = match.index + match[0].length;
  }
  return replaced + text.slice(end);
}

/**
 * Cuts at blanks as a shell does, and takes quotes away; a quote that is never closed is a letter.
 */
const wordsOf = (args: string): readonly string[] =>
  (args.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\]|["'\\])+/gs) ?? []).map((word) =>
    word.replace(
      /"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs,
      (found: string, double?: string, single?: string, escaped?: string) =>
        double?.replace(/\\(["\\])/g, "$1") ?? single ?? escaped ?? found,
    ),
  );
