import { programOf, type Uses } from "./part-use.ts";
import { isDirectory } from "./place.ts";
import type { Part } from "./shell/part.ts";
import { repositoryOf } from "./shell/repository.ts";
import { isKnown, literal, type Word } from "./shell/script.ts";

/** Pieces of a word that may be the name of a file. */
export interface Pieces {
  /** Behind an option of one letter, or the first sign that cuts words. */
  readonly attached: string | undefined;
  readonly pieces: readonly string[];
  /** It is no text of several words and no order to an editor: its pieces may be directories. */
  readonly isPlain: boolean;
  /** There are too many to look at. */
  readonly isMore: boolean;
}

const most = 2_000;
const longest = 100;
const editors = /^(?:g?sed|red?|ed|ex|n?vim?|view|mawk)$/;

/**
 * Cut at the signs by which programs cut words, and behind the letters by which they tell that a
 * name follows.
 */
export function piecesOf(part: Part, { text }: Word): Pieces {
  const attached = /^(?:-[A-Za-z]|[^=@]*[=@])(.+)$/s.exec(text)?.[1];
  const cut = text.split(/[=@:,<>'"`;|&(){}[\]\s\\]+/).filter((piece) => piece !== "");
  const isEditor = editors.test(programOf(part));
  const isPlain = !isEditor && !/\s/.test(text);
  // Several options in one word, and orders such as `1r.env`.
  const behind = cut.flatMap((piece) => {
    const letters = /^-[A-Za-z0-9]{1,4}/.exec(piece)?.[0].length ?? 0;
    const orders = isEditor ? Math.min(piece.length, longest) : 0;
    return [...Array(Math.max(letters, orders)).keys()].slice(Number(letters > 0)).map((at) => piece.slice(at + 1));
  });
  const pieces = [...new Set([...cut, ...behind])].filter((piece) => piece !== "");
  return { attached, pieces: pieces.slice(0, most), isMore: pieces.length > most, isPlain };
}

/** Programs and orders of git that are fed a text for people, or one that they pass on. */
const keepers = /^(?:tee|dd|cat|gh|glab|mail|wl-copy|pbcopy|xclip|commit|tag|notes)$/;

/** True for a program that may run its input as code, in which names of files stand. */
export const isFedCode = (part: Part): boolean =>
  !keepers.test(programOf(part)) && !(programOf(part) === "git" && part.words.some(({ text }) => keepers.test(text)));

const goes = /^(?:-C|--(?:directory|chdir|cwd|prefix|work-tree|git-dir|project-directory)(?:=|$))(.*)$/s;

/**
 * Where a part may stand: also where it is told to go first, and for git at the top of its
 * repository.
 */
export function cwdsOf(part: Part, uses: Uses): readonly string[] | undefined {
  const found = new Set(part.cwds ?? []);
  for (const [at, word] of part.words.entries()) {
    const [, attached] = goes.exec(word.text) ?? [];
    if (attached === undefined) continue;
    const target = attached === "" ? part.words[at + 1] : isKnown(word) ? literal(attached) : undefined;
    const paths = target && uses.paths({ ...part, cwds: part.cwds && [...found] }, target);
    for (const { path } of paths ?? []) if (path !== undefined && isDirectory(path)) found.add(path);
  }
  if (part.cwds === undefined) return undefined;
  const roots = programOf(part) === "git" ? [...found].flatMap((cwd) => repositoryOf(cwd) || []) : [];
  return [...new Set([...found, ...roots])];
}
