import { isAbsolute, posix, resolve } from "node:path";
import type { CommandText } from "../command-rule.ts";
import { parseShell } from "./parse.ts";
import { type Item, isKnown, literal, type Simple, type Word } from "./script.ts";
import { unwrap, withoutGitOptions } from "./wrapper.ts";

/** One command that a text would run. */
export interface Part extends Simple {
  /** Where it may stand when it runs; undefined where that cannot be told. */
  readonly cwds: readonly string[] | undefined;
  /** It only runs other parts, which are listed as well. */
  readonly isTransparent: boolean;
}

export interface Parts {
  readonly parts: readonly Part[];
  readonly doubts: readonly string[];
  readonly isBroken: boolean;
}

export interface PartDeps {
  readonly cwd: string;
  readonly home: string;
}

type Cwds = readonly string[] | undefined;

const deepest = 8;
const most = 2_000;

/** Every command that a text would run, also those that run inside others. */
export function partsOf(text: string, { cwd, home }: PartDeps): Parts {
  const parts: Part[] = [];
  const doubts = new Set<string>();
  let isBroken = false;
  read(text, [cwd], 0);
  return { parts, doubts: [...doubts], isBroken };

  function read(source: string, start: Cwds, depth: number): void {
    const script = parseShell(source);
    for (const doubt of script.doubts) doubts.add(doubt);
    isBroken ||= script.isBroken;
    walk(script.items, start, depth);
  }

  /** Follows `cd`: one that can fail leaves two places to be in. */
  function walk(items: readonly Item[], start: Cwds, depth: number): void {
    let now = start;
    let before: Cwds = [];
    const outer: [Cwds, Cwds][] = [];
    for (const item of items) {
      if (parts.length > most) {
        doubts.add("it has too many commands");
        isBroken = true;
        return;
      }
      if ("command" in item) {
        add(item.command, now, depth);
        const target = targetOf(item.command, home);
        if (target === undefined) continue;
        before = both(before, now);
        now = target === "unknown" ? undefined : now?.map((from) => resolve(from, target));
      } else if (item.operator === "(") outer.push([now, before]);
      else if (item.operator === ")") [now, before] = outer.pop() ?? [undefined, undefined];
      else if (item.operator !== "&&") [now, before] = [both(now, before), []];
    }
  }

  function add(command: Simple, cwds: Cwds, depth: number): void {
    const wrapped = unwrap(command.words, command.fed);
    parts.push({ ...command, cwds, isTransparent: wrapped?.isTransparent ?? false });
    if (!wrapped) return;
    if (wrapped.doubt !== undefined) doubts.add(wrapped.doubt);
    const inside = wrapped.isElsewhere ? undefined : cwds;
    if (depth >= deepest) {
      doubts.add("it is nested too deeply");
      isBroken = true;
      return;
    }
    for (const words of wrapped.commands) {
      const first = words.findIndex(({ raw }) => !/^[A-Za-z_][A-Za-z0-9_]*=/.test(raw));
      const from = first < 0 ? words.length : first;
      const inner = { assignments: words.slice(0, from), words: words.slice(from), redirects: [], fed: command.fed };
      if (wrapped.isGuess) parts.push({ ...inner, cwds: inside, isTransparent: false });
      else add(inner, inside, depth + 1);
    }
    for (const script of wrapped.scripts) {
      if (isKnown(script)) read(script.text, inside, depth + 1);
      else
        parts.push({
          assignments: [],
          words: [{ ...script, known: 0 }],
          redirects: [],
          fed: [],
          cwds: undefined,
          isTransparent: false,
        });
    }
  }
}

/** Every `cd` that can fail doubles the places; of too many nothing is known. */
const mostCwds = 16;

function both(one: Cwds, other: Cwds): Cwds {
  const all = one && other && [...new Set([...one, ...other])];
  return all && all.length <= mostCwds ? all : undefined;
}

/** Where a command takes the ones after it; undefined for one that moves nobody. */
function targetOf({ words, assignments }: Simple, home: string): string | "unknown" | undefined {
  const names = words.map(({ text }) => text);
  const moves = names.findIndex((name) => name === "cd" || name === "pushd" || name === "popd");
  if (moves < 0) return names[0] === "." || names[0] === "source" || names[0] === "eval" ? "unknown" : undefined;
  if (moves > 0) return /^(?:command|builtin|env|eval)$/.test(names[0] ?? "") ? "unknown" : undefined;
  const rest = words.slice(1).filter(({ text }) => !/^-[LPe@]+$|^--$/.test(text));
  const [target, ...more] = rest;
  if (names[0] !== "cd" || assignments.length > 0 || more.length > 0) return "unknown";
  if (target === undefined) return home;
  const path = pathText(target, home);
  return path === undefined || target.isGlob || target.text.startsWith("-") || target.text === "" ? "unknown" : path;
}

/** A word as a path, with the home directory in the place of `~`; undefined for what is not certain. */
export function pathText(word: Word, home: string): string | undefined {
  if (!isKnown(word)) return undefined;
  return /^~(?:\/|$)/.test(word.raw) ? `${home}${word.text.slice(1)}` : word.text;
}

/** The absolute paths a text can mean; `..` is left in it, since the kernel follows links first. */
export const pathsFrom = (cwds: readonly string[] | undefined, text: string): readonly string[] | undefined =>
  isAbsolute(text) ? [text] : cwds?.map((cwd) => `${cwd}/${text}`);

/** Variables that change how something is shown and nothing else. */
const harmless =
  /^(?:LANG|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CI|NODE_ENV|RUST_LOG|RUST_BACKTRACE|TERM|COLUMNS|LINES|DEBUG)=/;

export const isHarmlessAssignment = (word: Word): boolean => harmless.test(word.raw);

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

/** As it is written, and without variables that change nothing; what a rule that allows is held against. */
export function linesToAllow({ assignments, words }: Part): readonly CommandText[] {
  const isBare = assignments.every(isHarmlessAssignment);
  return [lineOf([...assignments, ...words]), ...(isBare && words.length > 0 ? [lineOf(words)] : [])];
}

/** Every way to say the same; what a rule that forbids is held against. Of a program whose name is not certain nothing is. */
export function linesToForbid({ assignments, words }: Part): readonly CommandText[] {
  const [first, ...rest] = words;
  if (first === undefined) return [lineOf(assignments)];
  if (!isKnown(first) || first.isGlob) return [{ text: lineOf(words).text, known: 0 }];
  const bare = [literal(posix.basename(first.text)), ...rest];
  const git = bare[0]?.text === "git" ? withoutGitOptions(bare) : undefined;
  return [[...assignments, ...words], words, bare, ...(git ? [git] : [])].map(lineOf);
}
