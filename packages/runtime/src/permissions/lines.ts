import { posix } from "node:path";
import type { CommandText } from "./command-rule.ts";
import type { Part } from "./shell/part.ts";
import { isKnown, literal, mostGuesses, type Word } from "./shell/script.ts";
import { withoutGitOptions } from "./shell/wrapper.ts";

/** Variables that change how something is shown and nothing else. */
const harmless =
  /^(?:LANG|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CI|NODE_ENV|RUST_LOG|RUST_BACKTRACE|TERM|COLUMNS|LINES|DEBUG)=/;

export const isHarmlessAssignment = (word: Word): boolean => harmless.test(word.raw) && isKnown(word);

/** The command as one line: one blank between words, quotes only where a word needs them. */
export function lineOf(words: readonly Word[]): CommandText {
  let text = "";
  let known = Number.POSITIVE_INFINITY;
  for (const word of words) {
    if (text !== "") text += " ";
    const isPlain = /^[\w@%+=:,./~^*?[\]{}!#-]+$/.test(word.text);
    const shown = isKnown(word) ? (isPlain ? word.text : JSON.stringify(word.text)) : word.raw;
    if (!isKnown(word))
      known = Math.min(known, text.length + (word.raw.startsWith(word.text.slice(0, word.known)) ? word.known : 0));
    text += shown;
  }
  return { text, known: Math.min(known, text.length) };
}

/**
 * As it is written, and without variables that change nothing; what an allow rule is held against.
 */
export function linesToAllow({ assignments, words }: Part): readonly CommandText[] {
  const isBare = assignments.every(isHarmlessAssignment);
  return [lineOf([...assignments, ...words]), ...(isBare && words.length > 0 ? [lineOf(words)] : [])];
}

/**
 * Every way to say the same; what a deny rule is held against. Of a program whose name is not
 * certain nothing is.
 */
export function linesToForbid({ assignments, words }: Pick<Part, "assignments" | "words">): readonly CommandText[] {
  const [first, ...rest] = words.map(ordered);
  if (first === undefined) return [lineOf(assignments)];
  if (!isKnown(first) || first.isGlob) return [{ text: lineOf(words).text, known: 0 }];
  const name = posix.basename(first.text);
  const bare = [literal(name), ...rest];
  const [, order] = /^git-([a-z-]+)$/.exec(name) ?? [];
  const git = name === "git" ? withoutGitOptions(bare) : order && [literal("git"), literal(order), ...rest];
  // On a disk that does not tell letters apart, RM is rm.
  const small = name.toLowerCase() === name ? [] : [[literal(name.toLowerCase()), ...rest]];
  const removing = name === "find" && rest.some(({ text }) => text === "-delete") ? [[literal("rm"), ...rest]] : [];
  return [[...assignments, first, ...rest], [first, ...rest], bare, ...(git ? [git] : []), ...small, ...removing].map(
    lineOf,
  );
}

/** An order that comes out of a pattern may be any that fits. */
function ordered(word: Word, at: number, all: readonly Word[]): Word {
  if (at !== 1 || !word.isGlob || !takesOrders.has(posix.basename(all[0]?.text ?? ""))) return word;
  return { ...word, known: Math.min(word.known, word.text.search(/[*?[]/)) };
}

/** Their second word is an order to them, whatever program has the same name. */
const takesOrders = new Set(
  "git npm pnpm yarn bun docker podman kubectl helm cargo go pip pip3 uv gem brew apt apt-get gh hg svn aws gcloud az".split(
    " ",
  ),
);
/** Options whose value is a text for people. */
const messages = /^(?:-[a-z]*m|--(?:message|body|title|notes|description|subject))$/;

/** Whether a word is a text that only people read. */
export const isMessage = (words: readonly Word[], at: number): boolean =>
  takesOrders.has(posix.basename(words[0]?.text ?? "")) && messages.test(words[at - 1]?.text ?? "");

/**
 * Commands that an unknown program may run: any of its words may begin a command or be one as a
 * text, and so may the value of a variable. What only a person reads is left out.
 */
export function guessesOf({ assignments, words, fed }: Part): readonly CommandText[] {
  const [first] = words;
  const from = first && takesOrders.has(posix.basename(first.text)) ? 2 : 1;
  const operands = words.filter((_, at) => at >= from && !isMessage(words, at));
  const values = [...assignments, ...fed].map(({ text }) => text);
  // Behind an option of one letter, or several in one word, a program may be named at once.
  const attached = operands.slice(0, mostGuesses).flatMap((word) => {
    const letters = /^-[A-Za-z]{1,3}(?=[\w./])/.exec(word.text)?.[0].length ?? 0;
    return [2, 3, 4].flatMap((from) => (from <= letters ? lineOf([literal(word.text.slice(from))]) : []));
  });
  const commands = words
    .slice(from, from + mostGuesses)
    .map((_, at) => words.slice(from + at, from + at + mostGuesses));
  const lines = commands.flatMap((command) => linesToForbid({ words: command, assignments: [] }));
  const shown = [...values, ...operands.slice(0, mostGuesses).map(({ text }) => text)];
  return [...lines.filter(({ known }) => known > 0), ...attached, ...shown.flatMap(linesIn)];
}

/**
 * Commands that a text would run if one began at any of its words, and ended at any sign that ends
 * one.
 */
function linesIn(text: string): readonly CommandText[] {
  if (!/[\s=!,]/.test(text)) return [];
  const starts = [...text.matchAll(/(?<![\w./-])[\w./]|(?<=^-[A-Za-z]|(?:^|[\d$/;{}])e)[\w./]/g)]
    .slice(0, mostGuesses)
    .map(({ index }) => index);
  return starts.flatMap((at) => {
    const rest = text.slice(at, at + 1_000).replace(/\s+/g, " ");
    const line = rest.replace(/["'`)}#;&|].*$/s, "").trim();
    return [line, line.replace(/^[^ ]*\//, "")].map((one) => ({ text: one, known: one.length }));
  });
}
