import { entriesBelow } from "../below.ts";
import { startsOfFind } from "./find.ts";
import { type Item, isKnown, type Simple } from "./script.ts";

/** A name that stays one word, is no pattern and no option. */
const tame = /^[\w.@+,:%=][\w.@+,:%=-]*$/;

/**
 * The directories below which all the names lie that a pipe of `find` prints; undefined where it
 * may print anything else, or a name that would become several words.
 */
export function printsNames(items: readonly Item[], cwd: string | undefined): readonly string[] | undefined {
  const commands = items.flatMap((item) => ("command" in item ? [item.command] : []));
  const isPipe = items.every((item, at) => ("command" in item ? at % 2 === 0 : at % 2 === 1 && item.operator === "|"));
  const [first, ...filters] = commands;
  if (!first || !isPipe || cwd === undefined || !isPlain(first) || first.words[0]?.text !== "find") return undefined;
  if (!filters.every(isFilter)) return undefined;
  // Without a sign between them names become others.
  if (first.words.some(({ text }) => text === "-print0")) return undefined;
  const starts = startsOfFind(first.words.slice(1).map(({ text }) => text))?.starts;
  if (!starts?.every((start) => start.split("/").every((name) => name === "" || tame.test(name)))) return undefined;
  const isTame = starts.every((start) =>
    entriesBelow(start.startsWith("/") ? start : `${cwd}/${start}`)?.every(({ name }) => tame.test(name)),
  );
  return isTame ? starts : undefined;
}

const isPlain = ({ words, assignments, redirects, fed, isMixed = false }: Simple): boolean =>
  !isMixed &&
  words.every((word) => isKnown(word) && !word.isGlob && !word.raw.startsWith("~")) &&
  assignments.length + fed.length === 0 &&
  redirects.every(({ target }) => target.raw === "/dev/null");

/** It lets lines through as they are. */
function isFilter(command: Simple): boolean {
  if (!isPlain(command)) return false;
  const line = command.words.map(({ text }) => text);
  const [name, ...rest] = line;
  if (name === "grep") {
    const patterns = rest.filter((word) => !/^-[viEFwx]+$/.test(word));
    return patterns.length === 1 && !patterns[0]?.startsWith("-");
  }
  return /^(?:sort(?: -[runV]+)*|uniq|cat|(?:head|tail)(?: -n ?[0-9]+| -[0-9]+)?)$/.test(line.join(" "));
}
