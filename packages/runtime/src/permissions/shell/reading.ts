import type { Argument } from "./argument.ts";
import { startsOfFind } from "./find.ts";
import { readsOfGit } from "./git.ts";
import { readsOfAwk, readsOfJq, readsOfSed } from "./language.ts";
import { cutOptions } from "./options.ts";
import { type Program, programs, versioned } from "./programs.ts";

/** A file or a directory that a command reads. */
export interface Read {
  /** As the program gets it. */
  readonly path: string;
  /** It may show what any file below shows. */
  readonly walks?: boolean;
  /** Links below are followed. */
  readonly follows?: boolean;
  /** Of what lies below, only files that git keeps. */
  readonly isTrackedOnly?: boolean;
  /** It may show what lies anywhere in the repository that this lies in. */
  readonly isRepository?: boolean;
  /** It must be no directory. */
  readonly isFlat?: boolean;
}

/** Where a program is called. */
export interface CommandPlace {
  readonly cwd: string | undefined;
  /** The directory of the agent, in whose repository `git` may look. */
  readonly project: string;
}

/**
 * Reads of a program that is called like this; undefined for any other program, and for one that
 * may do more than read.
 */
export function readsOf(name: string, words: readonly Argument[], place: CommandPlace): readonly Read[] | undefined {
  const [first] = words;
  if (first && words.length === 1 && Object.hasOwn(versioned, name) && versioned[name]?.test(first.text)) return [];
  const special = Object.hasOwn(specials, name) ? specials[name] : undefined;
  if (special) return special(words, place);
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  return program && readsOfProgram(program, words);
}

/** Programs that are read in a way of their own. */
export const specials: Readonly<
  Record<string, (words: readonly Argument[], place: CommandPlace) => readonly Read[] | undefined>
> = {
  echo: (words) => named(words),
  printf: readsOfPrintf,
  test: readsOfTest,
  "[": (words) => (words.at(-1)?.text === "]" ? readsOfTest(words.slice(0, -1)) : undefined),
  find: readsOfFind,
  git: readsOfGit,
  sed: readsOfSed,
  awk: readsOfAwk,
  gawk: readsOfAwk,
  mawk: readsOfAwk,
  jq: readsOfJq,
  // To it and its kind `@file` stands for the words in that file.
  strings: (words) =>
    words.some(({ text }) => text.startsWith("@")) ? undefined : readsOfProgram(programs["strings"] as Program, words),
};

function readsOfProgram(program: Program, words: readonly Argument[]): readonly Read[] | undefined {
  const {
    operands: kind,
    most = Number.POSITIVE_INFINITY,
    walks = [],
    isHere = false,
    isFlat = false,
    isWildFine,
    only,
  } = program;
  const cut = cutOptions(words, program, isWildFine);
  if (!cut || cut.operands.length > most || (kind === "none" && cut.operands.length > 0)) return undefined;
  if (only && !cut.operands.every(({ text }) => only.test(text))) return undefined;
  if (kind === "none" || kind === "words") return named(cut.operands);
  const isPatternGiven = cut.found.some(({ name }) => /^(?:e|regexp|files)$/.test(name));
  const [pattern, ...rest] = cut.operands;
  const isPattern = kind === "pattern" && !isPatternGiven && pattern?.glob === undefined && !pattern?.isBelow;
  const files = isPattern ? rest : cut.operands;
  const isWalk = walks.includes("always") || cut.found.some(({ name }) => walks.includes(name));
  const told = files.length === 0 && (isHere || isWalk) ? [{ text: "." }] : files;
  return told.map(({ text, isBelow = false }) => ({ path: text, walks: isWalk || isBelow, follows: isBelow, isFlat }));
}

/** A word that is only shown is read where it names a file, which tells that there is one. */
const named = (words: readonly Argument[]): readonly Read[] =>
  words.flatMap(({ text, glob, isBelow }) => (glob || isBelow ? [{ path: text }] : []));

/** `%n` and `-v` set a variable, and the index of one is run. */
function readsOfPrintf([format, ...rest]: readonly Argument[]): readonly Read[] | undefined {
  const isPlain = format && format.glob === undefined && !format.isBelow && !format.text.startsWith("-");
  return isPlain && !/%[^%A-Za-z]*[hlLjzt]*n/.test(format.text) ? named(rest) : undefined;
}

/** Of the operators, `-v` and `-R` run what stands in an index. */
function readsOfTest(words: readonly Argument[]): readonly Read[] | undefined {
  const operator = /^(?:-(?:[abcdefghknoprstuwxzGLNOS]|eq|ne|lt|le|gt|ge|nt|ot|ef)|[!=<>()]|==|!=)$/;
  if (words.some(({ text, glob }) => glob !== undefined || (text.startsWith("-") && !operator.test(text))))
    return undefined;
  return words.flatMap(({ text }) => (operator.test(text) ? [] : [{ path: text }]));
}

function readsOfFind(words: readonly Argument[]): readonly Read[] | undefined {
  if (words.some(({ glob }) => glob === "wild")) return undefined;
  const found = startsOfFind(
    words.map(({ text }) => text),
    true,
  );
  return found && [...found.starts, ...found.others].map((path) => ({ path }));
}
