import { dirname, resolve } from "node:path";
import { programOf, type Uses } from "./part-use.ts";
import { isBelow, placesOf } from "./place.ts";
import type { Ground } from "./ruling.ts";
import { startsOf } from "./shell/find.ts";
import type { Part } from "./shell/part.ts";
import { literal, type Word } from "./shell/script.ts";

/**
 * Does it remove the home, the project, a directory that one of them lies in, or all that lies in
 * one of them?
 */
export function removesAll(ground: Ground, part: Part, uses: Uses): boolean {
  const removed = removedBy(part);
  return removed.some((word) => {
    const paths = uses.paths(part, word);
    // The certain part of it may be all there is.
    if (!paths) return isVital(certainOf(word) || "/");
    const isAll = word.isGlob && /(?:^|\/)(?:[*?.]|\[[^/]*\])+\/*$/.test(word.text);
    return paths.some(({ path = "/" }) => isVital(isAll ? dirname(path.replace(/\/+$/, "")) : path));
  });

  /** The directory that a word begins with for certain. */
  function certainOf({ text, raw, known, isGlob }: Word): string {
    const pattern = isGlob ? text.search(/[*?[]/) : known;
    const directory = text.slice(0, Math.min(known, pattern)).replace(/[^/]*$/, "");
    return raw.startsWith("~/") ? `${ground.home}${directory.slice(1)}` : directory;
  }

  function isVital(path: string): boolean {
    const vital = [ground.home, ...ground.roots];
    return [resolve(path), ...(placesOf(path) ?? [])].some((place) =>
      vital.some((directory) => isBelow(directory, place)),
    );
  }
}

/**
 * The words of a part that are directories it may remove, or move away, with everything in them.
 */
function removedBy(part: Part): readonly Word[] {
  const words = part.words.slice(1);
  const operands = words.filter(({ text }) => !text.startsWith("-"));
  const program = programOf(part);
  if (program === "rm") return words.some(({ text }) => /^-\w*[rR]|^--r/.test(text)) ? operands : [];
  if (/^(?:rimraf|trash)$/.test(program)) return operands;
  if (program === "mv") return words.some(({ text }) => /^-\w*t|^--t/.test(text)) ? operands : operands.slice(0, -1);
  if (program !== "find" || !words.some(({ text }) => text === "-delete")) return [];
  const starts = startsOf(words);
  return starts.length > 0 ? starts : [literal(".")];
}
