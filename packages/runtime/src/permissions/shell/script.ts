/** One word of a command, after quotes are taken away. */
export interface Word {
  /** The text of a word; a part that the shell only knows when it runs is left as it is written. */
  readonly text: string;
  /** As it is written. */
  readonly raw: string;
  /** How many characters of `text` are certain; all of them in a literal word. */
  readonly known: number;
  /** The shell puts the names of files in its place. */
  readonly isGlob: boolean;
  /** The parts of `text` that the shell replaces when it runs. */
  readonly holes: readonly Hole[];
}

/** A part of a word that is not known before the shell runs. */
export interface Hole {
  readonly from: number;
  readonly to: number;
  /** It stands in double quotes: whatever it becomes stays one word. */
  readonly isQuoted: boolean;
  /** The variable whose value comes here, if it is that and nothing more. */
  readonly variable?: string;
  /** The commands whose output comes here. */
  readonly output?: readonly Item[];
  /** Of the names in that output, each comes here by itself. */
  readonly isEach?: boolean;
}

/** A file that the shell itself opens; `>&1` is none. */
export interface Redirect {
  readonly kind: "read" | "write";
  readonly target: Word;
}

/** One simple command. */
export interface Simple {
  readonly assignments: readonly Word[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  /** Words on its standard input, from a here-document or a here-string. */
  readonly fed: readonly Word[];
  /** Output to one descriptor goes to another one: its errors, say, to its output. */
  readonly isMixed?: boolean;
  /** It succeeds where the command fails. */
  readonly isNegated?: boolean;
}

/**
 * A text taken apart in the order of its running; what stands in `$(…)` comes before the command it
 * stands in.
 */
export type Item = { readonly command: Simple } | { readonly operator: Operator };
export type Operator = "&&" | "||" | ";" | "|" | "&" | "(" | ")";

export interface Script {
  readonly items: readonly Item[];
  /** Why no rule may allow it, even if it names every command that is seen. */
  readonly doubts: readonly string[];
  /** The text cannot be cut with certainty: there may be commands that are not among the items. */
  readonly isBroken: boolean;
}

export const isKnown = ({ text, known }: Word): boolean => known === text.length;

/** A word without anything to interpret. */
export const literal = (text: string): Word => ({ text, raw: text, known: text.length, isGlob: false, holes: [] });

/** A word of which nothing is known. */
export const unknownWord: Word = {
  text: "$",
  raw: "$",
  known: 0,
  isGlob: false,
  holes: [{ from: 0, to: 1, isQuoted: false }],
};

/**
 * Where any word may begin a command, so many words are looked at: each makes a command as long as
 * the rest.
 */
export const mostGuesses = 50;
