import { textPattern } from "../wildcard.ts";

/** The text of a command, and how much of it is certain. */
export interface CommandText {
  readonly text: string;
  readonly known: number;
}

/** The text in the parentheses of `Bash(…)`. */
export interface CommandRule {
  /** Whatever stands for what is not certain counts as an argument like any other. */
  fits(command: CommandText): boolean;
  /** It does not fit as it is written, but could once the shell has put in what it puts in. */
  mayFit(command: CommandText): boolean;
}

/**
 * `git push` is that command, `git push:*` and `git push *` that and whatever follows; a `*`
 * elsewhere is any text.
 */
export function commandRule(argument: string): CommandRule {
  const pattern = argument.trim().replace(/[ \t]+/g, " ");
  const prefix = /^(.*?)(?::\*| \*)$/s.exec(pattern)?.[1];
  const patterns = prefix === undefined ? [pieces(pattern)] : [pieces(prefix), pieces(`${prefix} *`)];
  const head = patterns[0]?.[0] ?? "";
  const spellings = patterns.map(textPattern);
  return {
    fits: ({ text }) => spellings.some((isSpelling) => isSpelling(text)),
    mayFit({ text, known }) {
      if (isBehindOptions(head, text, pattern !== head)) return true;
      if (known >= text.length) return false;
      const certain = text.slice(0, known);
      return head.startsWith(certain) || certain.startsWith(head);
    },
  };
}

/**
 * The words of a rule stand there in their order, and between them only options, each with one
 * value at most.
 */
function isBehindOptions(head: string, text: string, goesOn: boolean): boolean {
  const wanted = head.trim().split(" ");
  if (wanted.length < 2) return false;
  const words = text.split(" ");
  let next = 0;
  for (const [at, word] of words.entries()) {
    if (word === wanted[next]) next += 1;
    else if (next === 0 || !(word.startsWith("-") || words[at - 1]?.startsWith("-"))) return false;
    if (next === wanted.length) return goesOn || at === words.length - 1;
  }
  return false;
}

/** The literal texts between the stars; `\*` is a star itself. */
function pieces(pattern: string): readonly string[] {
  return pattern.split(/(?<!\\)\*/).map((piece) => piece.replaceAll("\\*", "*"));
}
