import { parseArgs } from "node:util";
import { type Command, type GlobalValues, globalOptions, type Option } from "./command.ts";
import { hint } from "./nearest.ts";
import { readCall, type Token } from "./read-call.ts";

/** What somebody asked for. */
export type Request = { readonly isJson: boolean; readonly isDebug: boolean } & (
  | { readonly kind: "run"; readonly command: Command; readonly args: object; readonly options: GlobalValues }
  /** About everything, a group or a command. */
  | { readonly kind: "help"; readonly about: string }
  | { readonly kind: "version" }
  /** One line that says what would be right. */
  | { readonly kind: "wrong"; readonly message: string }
);

type Options = Readonly<Record<string, Option>>;

/** Reads a command line by the table of commands. Options may stand anywhere. */
export function parse(line: readonly string[], commands: readonly Command[]): Request {
  const known: Options = Object.assign({}, ...commands.map(({ options }) => options), globalOptions, versionOption);
  const tokens = tokensOf(line, known);
  const isAsked = (name: string) => tokens.some((token) => token.kind === "option" && token.name === name);
  return {
    isJson: isAsked("json"),
    isDebug: isAsked("debug"),
    ...readRequest(tokens, commands, isAsked),
  } as Request;
}

function readRequest(tokens: readonly Token[], commands: readonly Command[], isAsked: (name: string) => boolean) {
  const words = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []));
  const isHelp = isAsked("help") || words[0] === "help";
  const [first, second] = words[0] === "help" ? words.slice(1) : words;
  if (first === undefined) {
    const allowed: Options = { ...globalOptions, ...versionOption };
    const stranger = tokens.find((token) => token.kind === "option" && !Object.hasOwn(allowed, token.name));
    if (stranger?.kind === "option")
      return wrong(`${stranger.rawName} needs a command before it: troupe help lists all`);
    return isAsked("version") ? { kind: "version" } : { kind: "help", about: "" };
  }
  const members = membersOf(first, commands);
  if (members.length > 0 && second === undefined) {
    if (isHelp) return { kind: "help", about: first };
    return wrong(`${first} wants to be told what to do: ${members.join(", ")} (troupe ${first} --help)`);
  }
  const command = commands.find(({ name }) => name === first || name === `${first} ${second}`);
  if (!command && members.length > 0)
    return wrong(`there is no ${first} ${second}${hint(second ?? "", members)} (troupe ${first} --help)`);
  if (!command) {
    const names = new Set([...commands.map(({ name }) => name.split(" ")[0] ?? name), "help"]);
    const whole = commands.flatMap(({ name }) => (name.endsWith(` ${first}`) ? [name] : [])).join(" or ");
    const meant = whole ? `; did you mean ${whole}?` : hint(first, names);
    return wrong(`there is no command ${JSON.stringify(first)}${meant} (troupe help lists all)`);
  }
  return isHelp ? { kind: "help", about: command.name } : readCall(command, tokens);
}

/** What can follow the name of a group; nothing behind any other word. */
const membersOf = (group: string, commands: readonly Command[]): string[] =>
  commands.flatMap(({ name }) => (name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : []));

const wrong = (message: string) => ({ kind: "wrong", message }) as const;

const versionOption = { version: { short: "V", summary: "the version" } } as const;

function tokensOf(line: readonly string[], options: Options): readonly Token[] {
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { value, short }]) => [
      name,
      { type: value === undefined ? "boolean" : "string", ...(short && { short }) } as const,
    ]),
  );
  return parseArgs({ args: [...line], options: config, strict: false, allowPositionals: true, tokens: true }).tokens;
}
