import { isAbsolute, resolve } from "node:path";
import { follow } from "../place.ts";
import { parseShell } from "./parse.ts";
import { type Item, isKnown, type Simple, unknownWord, type Word } from "./script.ts";
import { unwrap } from "./wrapper.ts";

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
  /** There may be commands that are not among the parts. */
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
    // Where the joining of lines makes new signs, what is seen once they are joined is seen as
    // well.
    if (script.isBroken && source.includes("\\\n")) read(source.replaceAll("\\\n", ""), start, depth + 1);
  }

  /**
   * Follows `cd`: one that can fail, or that moves a shell of its own, leaves several places to be
   * in.
   */
  function walk(items: readonly Item[], start: Cwds, depth: number): void {
    let now = start;
    let before: Cwds = [];
    let pipe: Item[] = [];
    // Whether what runs next behind `&&` is where the command before it went: that was one command,
    // and did not fail.
    let isCertain = true;
    const outer: [Cwds, Cwds, boolean][] = [];
    for (const item of items) {
      if (parts.length > most) {
        doubts.add("it has too many commands");
        isBroken = true;
        return;
      }
      if ("command" in item) {
        add(item.command, now, depth, pipe);
        pipe.push(item);
        isCertain &&= item.command.isNegated !== true;
        const target = targetOf(item.command, home);
        if (target === undefined) continue;
        before = both(before, now);
        now = target === "unknown" ? undefined : movedTo(now, target);
        continue;
      }
      pipe = item.operator === "|" ? [...pipe, item] : [];
      if (item.operator === ")") [now, before, isCertain] = outer.pop() ?? [undefined, undefined, false];
      else {
        if (item.operator === "(") outer.push([now, before, isCertain]);
        else if (item.operator !== "&&" || !isCertain) [now, before] = [both(now, before), []];
        // Behind `||` it may have been passed over, and behind `|` it moved a shell of its own.
        isCertain = !item.operator.startsWith("|");
      }
    }
  }

  function add(command: Simple, cwds: Cwds, depth: number, pipe: readonly Item[]): void {
    const isPiped = command.fed.length === 0 && command.redirects.every(({ kind }) => kind === "write");
    const last = pipe.at(-1);
    const source = isPiped && last && "operator" in last ? pipe.slice(0, -1) : [];
    const wrapped = unwrap(command.words, command.fed, source);
    parts.push({ ...command, cwds, isTransparent: wrapped?.isTransparent ?? false });
    if (!wrapped) return;
    if (wrapped.doubt !== undefined) doubts.add(wrapped.doubt);
    isBroken ||= wrapped.isBlind ?? false;
    const inside = wrapped.isElsewhere ? undefined : cwds;
    if (depth >= deepest) {
      doubts.add("it is nested too deeply");
      isBroken = true;
      return;
    }
    // A program that runs texts nobody sees may read them from its input.
    const isFed = source.length > 0 || command.redirects.some(({ kind }) => kind === "read");
    const guesses = wrapped.isGuess && isFed ? [[unknownWord]] : [];
    for (const words of [...wrapped.commands, ...guesses]) {
      const first = words.findIndex(({ text }) => !/^[^=/]+=/.test(text));
      const from = first < 0 ? words.length : first;
      const inner = { assignments: words.slice(0, from), words: words.slice(from), redirects: [], fed: command.fed };
      if (wrapped.isGuess) parts.push({ ...inner, cwds: inside, isTransparent: false });
      else add(inner, inside, depth + 1, []);
    }
    for (const script of wrapped.scripts) {
      if (isKnown(script)) read(script.text, inside, depth + 1);
      else {
        const words = [{ ...unknownWord, text: script.text, raw: script.raw }];
        parts.push({ assignments: [], words, redirects: [], fed: [], cwds: undefined, isTransparent: false });
      }
    }
  }
}

/**
 * Where `cd` gets to: it shortens `link/..` as text, unless it is told not to or what is left is no
 * directory.
 */
function movedTo(now: Cwds, target: string): Cwds {
  const found = now?.flatMap((from) => [
    resolve(from, target),
    follow(isAbsolute(target) ? target : `${from}/${target}`),
  ]);
  return found?.every((place) => place !== undefined) ? both(found as string[], []) : undefined;
}

/** Every `cd` that can fail doubles the places; of too many nothing is known. */
const mostCwds = 16;

function both(one: Cwds, other: Cwds): Cwds {
  const all = one && other && [...new Set([...one, ...other])];
  return all && all.length <= mostCwds ? all : undefined;
}

const moving = /^(?:cd|pushd|popd)$/;

/** Where a command takes the ones after it; undefined for one that moves nobody. */
function targetOf({ words, assignments }: Simple, home: string): string | "unknown" | undefined {
  const [first, ...rest] = words;
  if (first === undefined) return undefined;
  if (!isKnown(first) || first.isGlob || /^(?:\.|source|eval|trap|alias)$/.test(first.text)) return "unknown";
  // By a detour it moves the shell or not.
  if (!moving.test(first.text))
    return /^(?:command|builtin|env|time|exec|coproc)$/.test(first.text) && rest.some(mayMove) ? "unknown" : undefined;
  const [target, ...more] = rest.filter(({ text }) => !/^-[LPe@]+$|^--$/.test(text));
  if (first.text !== "cd" || assignments.length > 0 || more.length > 0) return "unknown";
  if (target === undefined) return home;
  const path = pathText(target, home);
  return path === undefined || target.isGlob || target.text.startsWith("-") || target.text === "" ? "unknown" : path;
}

const mayMove = (word: Word): boolean => !isKnown(word) || moving.test(word.text);

/**
 * A word as a path, with the home directory in the place of `~`; undefined for what is not certain.
 */
function pathText(word: Word, home: string): string | undefined {
  if (!isKnown(word)) return undefined;
  return /^~(?:\/|$)/.test(word.raw) ? `${home}${word.text.slice(1)}` : word.text;
}
