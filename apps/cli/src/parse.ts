import { parseArgs } from "node:util";
import { type Command, type GlobalValues, globalOptions, type Option } from "./command.ts";
import { hint } from "./nearest.ts";
import { readCall, type Token } from "./read-call.ts";

/** A parsed command line. */
export type Request = { readonly isJson: boolean; readonly isDebug: boolean } & (
  | {
      readonly kind: "run";
      readonly command: Command;
      readonly args: object;
      readonly options: GlobalValues;
      /** The arguments as they were given, in their order. */
      readonly words: readonly string[];
    }
  /** Help about everything, a group or a command. */
  | { readonly kind: "help"; readonly about: string }
  | { readonly kind: "version" }
  /** A command line that is wrong, and one line that says what would be right. */
  | { readonly kind: "wrong"; readonly message: string }
);

type Options = Readonly<Record<string, Option>>;

/** The command that is meant where none is named. */
const usualCommand = "run";

/**
 * Parses a command line with the table of commands. Options may appear anywhere. Without any word
 * a person at a terminal has a session, and any other reader the help.
 */
export function parse(given: readonly string[], commands: readonly Command[], hasPerson = false): Request {
  const line = spelledOut(given, commands);
  const forwarded = commands.find(({ name, isForwarded }) => isForwarded && name === line[0]);
  if (forwarded && !(line.length === 2 && /^(-h|--help)$/.test(line[1] ?? "")))
    return forwardedTo(forwarded, line.slice(1));
  // A line that begins with its command is read by the options of that group before all others.
  const own = commands.filter(({ name }) => name.split(" ")[0] === line[0]);
  const options = [...commands, ...own].map((command) => command.options);
  const known: Options = Object.assign({}, ...options, globalOptions, versionOption);
  const tokens = tokensOf(line, known);
  const isAsked = (name: string) => tokens.some((token) => token.kind === "option" && token.name === name);
  // Also in the place of a value that was forgotten: the refusal is to have that form.
  const isThere = (name: string) =>
    isAsked(name) ||
    tokens.some((token) => token.kind === "option" && token.value === `--${name}` && !token.inlineValue);
  return {
    isJson: isThere("json"),
    isDebug: isThere("debug"),
    ...readRequest(tokens, commands, isAsked, hasPerson),
  } as Request;
}

/**
 * Translates what users of other clients type: `-p` without a command means run, teammate flags
 * mean teammate.
 */
function spelledOut(line: readonly string[], commands: readonly Command[]): readonly string[] {
  const [first = "", ...rest] = line;
  const isPrint = (word: string) => word === "-p" || word === "--print";
  const end = line.indexOf("--");
  const isAsked = line.slice(0, end < 0 ? line.length : end).some(isPrint);
  const isCommand = commands.some(({ name }) => name.split(" ")[0] === first) || first === "help";
  if (isAsked && !isCommand) {
    const kept = line.filter((word, at) => !isPrint(word) || (end >= 0 && at > end));
    return ["run", "--print", ...kept];
  }
  const other = otherWords.get(first);
  if (other) return [...other, ...rest];
  // Without a session to resume, a person chooses one.
  if (/^(run$|-)/.test(first) && /^(--resume|-r)$/.test(line.at(-1) ?? "")) return [...line.slice(0, -1), "--resume="];
  return /^--agent-(id|name)(=|$)/.test(first) ? ["teammate", ...line] : line;
}

/** What people type who have not read the help. */
const otherWords: ReadonlyMap<string, readonly string[]> = new Map([
  ["ls", ["team", "list"]],
  ["ps", ["show"]],
  ["status", ["show"]],
  ["top", ["watch"]],
  ["version", ["--version"]],
]);

/** Passes all words on except the options of every command. */
function forwardedTo(command: Command, words: readonly string[]): Request {
  const options: { root?: string; store?: string } = {};
  const left = [...words];
  for (const name of ["root", "store"] as const) {
    const at = left.indexOf(`--${name}`);
    if (at < 0) continue;
    const [, value] = left.splice(at, 2);
    if (value === undefined) {
      const message = `--${name} needs a value: --${name} ${globalOptions[name].value}`;
      return { isJson: false, isDebug: false, ...wrong(message) };
    }
    options[name] = value;
  }
  const flags = left.filter((word) => word !== "--json" && word !== "--debug");
  return {
    isJson: words.includes("--json"),
    isDebug: words.includes("--debug"),
    kind: "run",
    command,
    args: { flags },
    words: flags,
    options,
  };
}

function readRequest(
  tokens: readonly Token[],
  commands: readonly Command[],
  isAsked: (name: string) => boolean,
  hasPerson: boolean,
) {
  const words = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []));
  const isHelp = isAsked("help") || words[0] === "help";
  const [first, second] = words[0] === "help" ? words.slice(1) : words;
  if (first === undefined) {
    if (isAsked("version")) return { kind: "version" };
    const usual = commands.find(({ name }) => name === usualCommand);
    const allowed: Options = { ...usual?.options, ...globalOptions };
    const stranger = tokens.find((token) => token.kind === "option" && !Object.hasOwn(allowed, token.name));
    if (stranger?.kind === "option")
      return wrong(`${stranger.rawName} needs a command before it: troupe help lists all`);
    const isBare = tokens.every((token) => token.kind === "option" && Object.hasOwn(globalOptions, token.name));
    if (isHelp || !usual || (isBare && !hasPerson)) return { kind: "help", about: "" };
    return readCall(usual, tokens);
  }
  const members = membersOf(first, commands);
  const single = commands.find(({ name }) => name === first);
  if (members.length > 0 && second === undefined && !single) {
    if (isHelp) return { kind: "help", about: first };
    return wrong(`${first} needs a command: ${members.join(", ")} (troupe ${first} --help)`);
  }
  const command = commands.find(({ name }) => name === `${first} ${second}`) ?? single;
  if (!command && members.length > 0)
    return wrong(`there is no ${first} ${second}${hint(second ?? "", members)} (troupe ${first} --help)`);
  if (!command) {
    const names = new Set([...commands.map(({ name }) => name.split(" ")[0] ?? name), "help"]);
    const whole = commands.flatMap(({ name }) => (name.endsWith(` ${first}`) ? [name] : [])).join(" or ");
    const task = `; if it is a task: troupe -p ${JSON.stringify(first)}`;
    const meant = whole ? `; did you mean ${whole}?` : hint(first, names) || (/\s/.test(first) ? task : "");
    return wrong(`there is no command ${JSON.stringify(first)}${meant} (troupe help lists all)`);
  }
  return isHelp ? { kind: "help", about: command.name } : readCall(command, tokens);
}

/** Returns the commands of a group; empty if the word is not a group. */
const membersOf = (group: string, commands: readonly Command[]): string[] =>
  commands.flatMap(({ name }) => (name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : []));

const wrong = (message: string) => ({ kind: "wrong", message }) as const;

const versionOption = { version: { short: "V", summary: "the version" } } as const;

/** Splits a line into words and options; an alias stands for the name of its option. */
function tokensOf(line: readonly string[], options: Options): readonly Token[] {
  const names = Object.entries(options).flatMap(([name, { aliases = [] }]) =>
    [name, ...aliases].map((alias) => [alias, name] as const),
  );
  const canonical = new Map(names);
  const config = Object.fromEntries(
    names.map(([alias, name]) => {
      const { value, short } = options[name] ?? {};
      const type = value === undefined ? "boolean" : "string";
      return [alias, { type, ...(short && alias === name && { short }) } as const];
    }),
  );
  // Words of a person such as "- one of a list" are no options: they stand aside meanwhile.
  const args = line.map((word, at) => (/^-+\s/.test(word) ? `${aside}${at}` : word));
  const whole = (word: string) => (word.startsWith(aside) ? (line[Number(word.slice(aside.length))] ?? word) : word);
  const { tokens } = parseArgs({ args, options: config, strict: false, allowPositionals: true, tokens: true });
  return tokens.map((token): Token => {
    if (token.kind === "positional") return { ...token, value: whole(token.value) };
    if (token.kind !== "option") return token;
    const name = canonical.get(token.name) ?? token.name;
    if (token.value === undefined || token.inlineValue) return { ...token, name };
    const value = whole(token.value);
    // As if it had been given with a sign of equality: it is no option that was taken for a value.
    return value === token.value ? { ...token, name } : { ...token, name, value, inlineValue: true };
  });
}

/** No argument of a program contains it. */
const aside = "\0";
