import { posix } from "node:path";
import { endsExec } from "./find.ts";
import { type Hole, type Item, isKnown, literal, mostGuesses, unknownWord, type Word } from "./script.ts";

/** A command that another one runs besides itself. */
export interface Wrapped {
  /** It changes nothing of what it runs, so that only that has to be allowed. */
  readonly isTransparent: boolean;
  readonly commands: readonly (readonly Word[])[];
  /** Texts that are commands themselves. */
  readonly scripts: readonly Word[];
  /** It runs them somewhere else than where it stands. */
  readonly isElsewhere?: boolean;
  /** The commands are guesses: everything that might be one. */
  readonly isGuess?: boolean;
  /** Why no rule may allow it. */
  readonly doubt?: string;
  /** From here on, names may stand for other programs. */
  readonly isBlind?: boolean;
}

interface Wrapper {
  /** Letters of options that stand alone, and of those that take the next word. */
  readonly flags?: string;
  readonly values?: string;
  /** Words of its own before the command. */
  readonly operands?: number;
  readonly isTransparent?: boolean;
}

/** Programs that run what they are given, with their options. */
export const wrappers: Readonly<Record<string, Wrapper>> = {
  timeout: { flags: "fpv", values: "ks", operands: 1, isTransparent: true },
  nice: { flags: "0123456789", values: "n", isTransparent: true },
  ionice: { flags: "t", values: "cn", isTransparent: true },
  nohup: { isTransparent: true },
  setsid: { flags: "cfw", isTransparent: true },
  stdbuf: { values: "ioe", isTransparent: true },
  time: { flags: "p", isTransparent: true },
  taskset: { flags: "apc", operands: 1 },
  chrt: { flags: "bfiomp", operands: 1 },
  command: { flags: "p", isTransparent: true },
  builtin: { isTransparent: true },
  env: { flags: "i0v", values: "u", isTransparent: true },
  xargs: { flags: "0rtx", values: "nLPsdE", isTransparent: true },
  exec: { flags: "cl", values: "a" },
  sudo: { flags: "AbEHnPSkK", values: "ugpCrtTUh" },
  doas: { flags: "nL", values: "uC" },
  flock: { flags: "sxneuo", values: "wE", operands: 1 },
  chroot: { operands: 1 },
  busybox: {},
  toybox: {},
};

/** Programs that run what they are given, in ways that are not followed. */
export const opaque: ReadonlySet<string> = new Set([
  ..."parallel entr script su runuser ssh nsenter unshare watch strace ltrace gdb setpriv pkexec prlimit".split(" "),
  ..."systemd-run fakeroot unbuffer faketime cpulimit proot firejail bwrap valgrind perf at batch npx bunx uvx".split(
    " ",
  ),
]);
/** Shells, which run texts. */
export const shells: ReadonlySet<string> = new Set("sh bash dash zsh ksh mksh ash fish rbash".split(" "));
const hidden: readonly Word[] = [unknownWord];
/** They change what names stand for. */
const blind = new Set("alias unalias enable hash bind complete fc".split(" "));

/**
 * The command that another one runs besides itself, behind what pipes into it; undefined for one
 * that runs nothing that can be seen.
 */
export function unwrap(words: readonly Word[], fed: readonly Word[], pipe: readonly Item[]): Wrapped | undefined {
  const [first, ...rest] = words;
  if (first === undefined) return undefined;
  const isPlain = isKnown(first) && !first.text.includes("/");
  const name = posix.basename(first.text);
  if (shells.has(name)) return shellOf(rest, fed);
  const nothing = { isTransparent: false, commands: [], scripts: [] };
  if (name === "eval") {
    const text = rest[0]?.text === "--" ? rest.slice(1) : rest;
    return { ...nothing, scripts: [joined(text)], doubt: "`eval` is not followed" };
  }
  if (name === "trap") return { ...nothing, scripts: rest, doubt: "`trap` is not followed" };
  if (name === "." || name === "source")
    return { ...nothing, scripts: fed, isElsewhere: true, isBlind: true, doubt: `\`${name}\` is not followed` };
  if (blind.has(name)) return { ...nothing, isBlind: true, doubt: `\`${name}\` is not followed` };
  if (name === "find") return found(rest);
  if (name === "git") return configured(rest);
  if (opaque.has(name)) return guessed(rest, name);
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  if (!wrapper || (name === "command" && /^-[vV]+$/.test(rest[0]?.text ?? ""))) return undefined;
  const inner = operandsOf(rest, wrapper);
  // Where `xargs` is told a sign for them, names may stand anywhere.
  const seen = name === "xargs" ? rest.map((word) => (word.text.includes("{}") ? unknownWord : word)) : rest;
  if (!inner) return name === "env" ? (split(rest) ?? guessed(rest, name)) : guessed(seen, name);
  // Without a command, `env` shows all variables.
  if (inner.every(({ text }) => name === "env" && text.includes("="))) return undefined;
  // To all others that is the name of a program, in a directory called `x=` even one of the
  // project.
  if (!/^(?:env|sudo|doas)$/.test(name) && inner[0]?.text.includes("=")) return guessed(rest, name);
  const isTransparent = wrapper.isTransparent === true && isPlain;
  if (name === "xargs") {
    const output = handedOn(pipe, rest.slice(0, rest.length - inner.length));
    return { isTransparent, commands: [[...inner, names({ isQuoted: false, output })]], scripts: [] };
  }
  // `flock` and others of its kind take a text in the place of a command.
  if (/^--?c/.test(inner[0]?.text ?? "")) return guessed(inner, name);
  return { isTransparent, commands: [inner], scripts: [] };
}

/** Words behind the options and operands of a wrapper; undefined where an option is unknown. */
function operandsOf(words: readonly Word[], { flags = "", values = "", operands = 0 }: Wrapper) {
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at];
    if (!word || !isKnown(word) || word.isGlob) return undefined;
    if (word.text === "--") {
      at += 1;
      break;
    }
    if (!word.text.startsWith("-")) break;
    const letters = word.text.slice(1);
    const value = [...letters].findIndex((letter) => values.includes(letter));
    const plain = value < 0 ? letters : letters.slice(0, value);
    if (letters === "" || [...plain].some((letter) => !flags.includes(letter))) return undefined;
    if (value === letters.length - 1) at += 1;
  }
  return words.slice(at + operands);
}

/** The names that commands print, as one word. */
const names = (hole: Pick<Hole, "isQuoted" | "isEach" | "output">): Word => ({
  ...unknownWord,
  raw: "…",
  holes: [{ from: 0, to: unknownWord.text.length, ...hole }],
});

/**
 * The input that `xargs` cuts into names: with `-0` and `-print0` it gets the same as without both,
 * in any other way it cuts names anew.
 */
function handedOn(pipe: readonly Item[], options: readonly Word[]): readonly Item[] {
  if (options.some(({ text }) => /^-[0rtx]*d/.test(text))) return [];
  if (!options.some(({ text }) => /^-[rtx]*0/.test(text))) return pipe;
  const [first, ...more] = pipe;
  if (!first || !("command" in first) || more.length > 0) return [];
  const { words } = first.command;
  if (words.some(({ text }) => text === "-print") || !words.some(({ text }) => text === "-print0")) return [];
  return [{ command: { ...first.command, words: words.filter(({ text }) => text !== "-print0") } }];
}

/** Every later word may be the command. */
const guessed = (words: readonly Word[], name: string): Wrapped => ({
  isTransparent: false,
  commands: [
    ...words.slice(0, mostGuesses).map((_, from) => words.slice(from)),
    ...(words.length > mostGuesses ? [hidden] : []),
  ],
  scripts: words.slice(0, mostGuesses),
  isElsewhere: true,
  isGuess: true,
  doubt: `what \`${name}\` runs is not followed`,
});

/** `env -S` takes a text apart itself. */
function split(words: readonly Word[]): Wrapped | undefined {
  const [first, ...rest] = words;
  const attached = /^(?:-[iv0]*S|--split-string=)(.*)$/s.exec(first?.text ?? "")?.[1];
  if (attached === undefined) return undefined;
  const script = attached === "" ? joined(rest) : joined([literal(attached), ...rest]);
  // Its own signs are not those of a shell.
  const isPlain = !/[\\$#'"]/.test(script.text);
  const scripts = [isPlain ? script : { ...script, known: 0, holes: unknownWord.holes }];
  return { isTransparent: false, commands: [], scripts, doubt: "`env -S` is not followed" };
}

function shellOf(words: readonly Word[], fed: readonly Word[]): Wrapped {
  const base = { isTransparent: false, commands: [] };
  for (let at = 0; at < words.length; at += 1) {
    const text = words[at]?.text ?? "";
    if (/^-[A-Za-z]*c[A-Za-z]*$/.test(text)) {
      const script = words.slice(at + 1).find((word) => !/^[-+]/.test(word.text));
      return { ...base, scripts: script ? [script] : [] };
    }
    if (text === "-s" || text === "-") break;
    if (/^[-+][oO]$/.test(text) || text === "--rcfile" || text === "--init-file") at += 1;
    else if (!/^[-+]/.test(text))
      return { ...base, scripts: fed, ...(!isKnown(words[at] ?? literal("")) && { commands: [hidden] }) };
  }
  return fed.length > 0 ? { ...base, scripts: fed } : { ...base, commands: [hidden], scripts: [] };
}

function found(words: readonly Word[]): Wrapped | undefined {
  const commands: (readonly Word[])[] = [];
  const first = words.findIndex(({ text }) => runs.test(text));
  if (first < 0) return words.every(isKnown) ? undefined : { isTransparent: false, commands: [hidden], scripts: [] };
  // Its output without them is put in the place of `{}`, a word each.
  const command = { words: [literal("find"), ...words.slice(0, first)], assignments: [], redirects: [], fed: [] };
  const name = names({ isQuoted: true, isEach: true, output: [{ command }] });
  for (let at = first; at < words.length; at += 1) {
    if (!runs.test(words[at]?.text ?? "")) continue;
    const end = words.findIndex(({ text }, index) => index > at && endsExec(text, words[index - 1]?.text));
    const inner = words.slice(at + 1, end < 0 ? undefined : end);
    commands.push(inner.map((word) => (word.raw === "{}" ? name : word.text.includes("{}") ? unknownWord : word)));
    at = end < 0 ? words.length : end;
  }
  const isElsewhere = words.some(({ text }) => text === "-execdir" || text === "-okdir");
  return { isTransparent: false, commands, scripts: [], isElsewhere };
}

const runs = /^-(?:exec|execdir|ok|okdir)$/;

/** Settings that only change what is shown; others name programs that git runs. */
const harmlessSetting =
  /^(?:user\.(?:name|email)|color\.\w+|core\.quotepath|advice\.\w+|init\.defaultbranch|commit\.gpgsign)=[^!]*$/i;

function configured(words: readonly Word[]): Wrapped | undefined {
  const runs = words.some((word, at) => {
    if (/^--(?:config-env|exec-path)/.test(word.text)) return true;
    if (/^-c./.test(word.text)) return true;
    if (words[at - 1]?.text === "-c") return !(isKnown(word) && harmlessSetting.test(word.text));
    return false;
  });
  // Only what stands before the subcommand is a setting, but `-c` elsewhere is rare enough to ask
  // about.
  return runs ? { isTransparent: false, commands: [hidden], scripts: [] } : undefined;
}

/**
 * The words without what git takes before its subcommand; undefined where there is nothing of that
 * kind.
 */
export function withoutGitOptions(words: readonly Word[]): readonly Word[] | undefined {
  let at = 1;
  for (; at < words.length && words[at]?.text.startsWith("-"); at += 1) {
    if (
      /^(?:-[cC]|--(?:git-dir|work-tree|namespace|super-prefix|config-env|exec-path|attr-source))$/.test(
        words[at]?.text ?? "",
      )
    )
      at += 1;
  }
  return at === 1 ? undefined : [...words.slice(0, 1), ...words.slice(at)];
}

/** One text of several words, certain up to the first that is not. */
function joined(words: readonly Word[]): Word {
  const text = words.map((word) => word.text).join(" ");
  const first = words.findIndex((word) => !isKnown(word));
  const before = words.slice(0, Math.max(first, 0)).reduce((length, word) => length + word.text.length + 1, 0);
  if (first < 0) return literal(text);
  const known = before + (words[first]?.known ?? 0);
  return { ...literal(text), known, holes: [{ from: known, to: text.length, isQuoted: false }] };
}
