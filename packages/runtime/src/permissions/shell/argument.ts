import { expandGlob } from "../place.ts";
import { printsNames } from "./names.ts";
import { type Hole, isKnown, type Word } from "./script.ts";

/** A word as a program gets it, known to the last character. */
export interface Argument {
  readonly text: string;
  /**
   * It came out of a glob: `wild` if that began with a wildcard, so that a name can be an option.
   */
  readonly glob?: "wild" | "tame";
  /** It stands for any number of names below that directory. */
  readonly isBelow?: boolean;
}

/** Where words become arguments. */
export interface Scope {
  readonly cwd: string | undefined;
  readonly home: string;
  /** The text gives this variable a value of its own. */
  readonly isAssigned: (variable: string) => boolean;
  /** Of `$?`, `$#` and `$$` those that may be any number: what they stand in is no file. */
  readonly numbers?: string;
}

/** Text that can be put into a word without becoming several. */
const tame = /^[\w@%+=:,./-]*$/;

/**
 * The arguments that the shell makes of a word; undefined where one of them is not known
 * beforehand.
 */
export function argumentsOf(word: Word, scope: Scope): readonly Argument[] | undefined {
  const [hole, ...more] = word.holes;
  // In quotes several names are one, of another file.
  const isSplit = hole?.isQuoted === false || hole?.isEach === true;
  if (hole?.output && isSplit && more.length === 0 && hole.from === 0 && hole.to === word.text.length && !word.isGlob) {
    const directories = printsNames(hole.output, scope.cwd);
    // Twice, since where one name is harmless a second one may be a file that is written.
    if (directories) return [...directories, ...directories].map((text) => ({ text, isBelow: true }));
  }
  const text = filled(word, scope);
  if (text === undefined) return undefined;
  if (!word.isGlob) return [{ text }];
  const path = text.startsWith("/") ? text : scope.cwd === undefined ? undefined : `${scope.cwd}/${text}`;
  const found = path === undefined ? undefined : expandGlob(path);
  if (!found || path === undefined) return undefined;
  const glob = /^[*?[]/.test(text) ? "wild" : "tame";
  // Without a match the shell leaves the pattern as it is, and so it may where a set fits more here
  // than there.
  const names = found.length === 0 || text.includes("[") ? [...found, path] : found;
  return names.map((name) => ({ text: name.slice(path.length - text.length), glob }));
}

/**
 * The text of a word with everything that is put into it, or undefined where that is not one
 * certain text.
 */
function filled(word: Word, scope: Scope): string | undefined {
  const isHome = /^~(?:\/|$)/.test(word.raw);
  if (isKnown(word)) return isHome ? scope.home + word.text.slice(1) : word.text;
  if (isHome) return undefined;
  let text = "";
  let at = 0;
  for (const hole of word.holes) {
    const value = valueOfHole(hole, scope);
    if (value === undefined || !(hole.isQuoted || tame.test(value))) return undefined;
    text += word.text.slice(at, hole.from) + value;
    at = hole.to;
  }
  return text + word.text.slice(at);
}

function valueOfHole({ variable, output }: Hole, { cwd, home, isAssigned, numbers = "" }: Scope): string | undefined {
  if (variable !== undefined && /^[?#$]$/.test(variable)) return numbers.includes(variable) ? "0" : undefined;
  if (variable === "HOME") return isAssigned("HOME") ? undefined : home;
  if (variable === "PWD") return isAssigned("PWD") ? undefined : cwd;
  const [only, ...more] = output ?? [];
  if (!only || more.length > 0 || !("command" in only)) return undefined;
  const { words, redirects, assignments } = only.command;
  const isPwd = words.length === 1 && words[0]?.raw === "pwd" && redirects.length + assignments.length === 0;
  return isPwd ? cwd : undefined;
}
