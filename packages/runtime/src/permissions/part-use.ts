import { posix, resolve } from "node:path";
import { type Entry, entriesBelow } from "./below.ts";
import { isHarmlessAssignment } from "./lines.ts";
import { follow } from "./place.ts";
import { type Argument, argumentsOf, type Scope } from "./shell/argument.ts";
import { changesOf } from "./shell/changing.ts";
import type { Part } from "./shell/part.ts";
import { type CommandPlace, type Read, readsOf } from "./shell/reading.ts";
import { isKnown, type Word } from "./shell/script.ts";

/** A file or a directory that a part of a command reads or changes. */
export interface Use extends Omit<Read, "path"> {
  /**
   * Absolute, links not yet followed; undefined where it is relative to a place that is not known.
   */
  readonly path: string | undefined;
}

/** Uses of the parts of one command. Each is worked out once. */
export interface Uses {
  /**
   * Reads of a part that does nothing else; undefined where it may do more, or where a word of it
   * is not known.
   */
  reads(part: Part): readonly Use[] | undefined;
  /**
   * Changes by one of the few commands for moving files around, which the mode acceptEdits lets
   * pass as it does edits.
   */
  changes(part: Part): readonly Use[] | undefined;
  /** The shell's result for a word where a part may stand; undefined where that is not known. */
  paths(part: Part, word: Word): readonly Use[] | undefined;
  /** Everything below a directory; undefined where there is too much. */
  below(directory: string): readonly Entry[] | undefined;
}

export interface UsesDeps {
  readonly home: string;
  /** The directory of the agent. */
  readonly cwd: string;
  readonly parts: readonly Part[];
}

/** So many files are looked at for one command; of one that uses more, nothing is known. */
const most = 2_000;

export function usesOf({ home, cwd: project, parts }: UsesDeps): Uses {
  const isAssigned: Scope["isAssigned"] = (name) => parts.some((part) => sets(part, name));
  const places = new Map<string, readonly Entry[] | undefined>();
  let seen = 0;
  const reads = once((part) => (part.fed.every(isKnown) ? judged(part, readsOf) : undefined));
  const changes = once((part) => judged(part, changesOf));
  return { reads, changes, paths, below };

  function judged(
    part: Part,
    judge: (name: string, words: readonly Argument[], place: CommandPlace) => readonly Read[] | undefined,
  ): readonly Use[] | undefined {
    const [first, ...rest] = part.words;
    if (seen > most) return undefined;
    if (!first || !isKnown(first) || first.isGlob || first.text.includes("/")) return undefined;
    if (!part.assignments.every(isHarmlessAssignment)) return undefined;
    const uses: Use[] = [];
    for (const cwd of part.cwds ?? [undefined]) {
      const words: Argument[] = [];
      const numbers = /^(?:echo|printf|test|\[)$/.test(first.text) ? "?#$" : "";
      for (const word of rest) {
        const found = argumentsOf(word, { cwd, home, isAssigned, numbers }) ?? shown(first.text, word);
        seen += word.isGlob ? (found?.length ?? 0) : 0;
        if (!found || seen > most) return undefined;
        words.push(...found);
      }
      const found = judge(first.text, words, { cwd, project });
      seen += found?.length ?? 0;
      if (!found || seen > most) return undefined;
      uses.push(...found.map((read) => ({ ...read, path: absolute(read.path, cwd) })));
    }
    return uses;
  }

  function paths(part: Part, word: Word): readonly Use[] | undefined {
    const found: Use[] = [];
    for (const cwd of part.cwds ?? [undefined]) {
      const texts = seen > most ? undefined : argumentsOf(word, { cwd, home, isAssigned, numbers: "$" });
      seen += texts?.length ?? 0;
      if (!texts || seen > most) return undefined;
      found.push(...texts.map(({ text }) => ({ path: absolute(text, cwd) })));
    }
    return found;
  }

  function below(directory: string): readonly Entry[] | undefined {
    const at = follow(directory) ?? resolve(directory);
    if (!places.has(at)) places.set(at, entriesBelow(at));
    return places.get(at);
  }
}

function once<Result>(work: (part: Part) => Result): (part: Part) => Result {
  const done = new Map<Part, Result>();
  return (part) => {
    if (!done.has(part)) done.set(part, work(part));
    return done.get(part) as Result;
  };
}

/** Whether a part may give a variable a value: it is named in it other than by `$`. */
function sets({ assignments, words }: Part, name: string): boolean {
  return [...assignments, ...words].some(({ text, holes }) => {
    const written = holes.reduceRight((rest, { from, to }) => `${rest.slice(0, from)} ${rest.slice(to)}`, text);
    return new RegExp(`\\b${name}\\b`).test(written);
  });
}

/**
 * Words that `echo` only shows may be anything that commands print, as long as each is one word.
 */
function shown(name: string, { holes }: Word): readonly Argument[] | undefined {
  return name === "echo" && holes.every(({ isQuoted, output }) => isQuoted && output) ? [{ text: "" }] : undefined;
}

export const absolute = (path: string, cwd: string | undefined): string | undefined =>
  path.startsWith("/") ? path : cwd === undefined ? undefined : `${cwd}/${path}`;

/** The name of the program, without the directory it lies in. */
export const programOf = ({ words: [first] }: Part): string => posix.basename(first?.text ?? "");
