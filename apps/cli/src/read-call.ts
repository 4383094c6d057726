import type { parseArgs } from "node:util";
import { type Command, exactTeamArg, globalOptions, type Option, teamArg } from "./command.ts";
import { hint } from "./nearest.ts";
import { usageOf } from "./usage.ts";

/** An option or a word as it was given on the command line. */
export type Token = NonNullable<ReturnType<typeof parseArgs>["tokens"]>[number];

type Read =
  | {
      readonly kind: "run";
      readonly command: Command;
      readonly args: object;
      readonly options: object;
      readonly words: readonly string[];
    }
  | { readonly kind: "wrong"; readonly message: string };

/**
 * Reads the arguments and options of a command, or says the first thing that is wrong with them.
 */
export function readCall(command: Command, tokens: readonly Token[]): Read {
  const { name } = command;
  const known: Readonly<Record<string, Option>> = { ...command.options, ...globalOptions };
  const words: string[] = [];
  const options = new Map<string, string | boolean | string[]>();
  const wrong = (message: string) => ({ kind: "wrong", message }) as const;
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const option = Object.hasOwn(known, token.name) ? known[token.name] : undefined;
    if (!option) {
      const near = hint(
        token.rawName,
        Object.keys(known).map((one) => `--${one}`),
      );
      return wrong(`${name} has no option ${token.rawName}${near} (troupe ${name} --help)`);
    }
    const fault = faultOf(option, token);
    if (fault) return wrong(fault);
    const value = option.value === undefined ? true : (token.value ?? "");
    const before = options.get(token.name);
    options.set(token.name, option.isRepeated ? [...(Array.isArray(before) ? before : []), String(value)] : value);
  }

  words.splice(0, name.split(" ").length);
  const asked = command.args.filter(({ unless }) => unless === undefined || !options.has(unless));
  const first = asked[0] === teamArg ? 1 : 0;
  const missing = asked.slice(first).find((arg, index) => !arg.isOptional && index >= words.length);
  const isExact = asked[0] === exactTeamArg && missing !== exactTeamArg;
  const behind = isExact ? " behind the whole name of its team, which is not guessed here" : "";
  if (missing) return wrong(`${name} needs <${missing.name}>${behind}: ${usageOf(command)}`);
  const surplus = asked.at(-1)?.isRest ? undefined : words[asked.length];
  if (surplus !== undefined) return wrong(`${JSON.stringify(surplus)} is one argument too many: ${usageOf(command)}`);
  return { kind: "run", command, words, args: argsFrom(command, words, options), options: Object.fromEntries(options) };
}

/**
 * Names the words of a command. Where there are too few and it begins with a team, the team was
 * left out.
 */
export function argsFrom(
  { args }: Pick<Command, "args">,
  words: readonly string[],
  options: { has(option: string): boolean },
): Readonly<Record<string, string | readonly string[] | undefined>> {
  const asked = args.filter(({ unless }) => unless === undefined || !options.has(unless));
  const needed = asked.filter(({ isOptional }) => !isOptional).length;
  const given = asked[0] === teamArg && words.length < needed ? [undefined, ...words] : words;
  return Object.fromEntries(
    args.map((arg) => {
      const at = asked.indexOf(arg);
      const rest = () => given.slice(at).filter((word) => word !== undefined);
      return [arg.name, at < 0 ? undefined : arg.isRest ? rest() : given[at]];
    }),
  );
}

function faultOf(
  { value: wanted, choices, takesNothing }: Option,
  token: Token & { kind: "option" },
): string | undefined {
  const { rawName, value, inlineValue } = token;
  if (wanted === undefined) return inlineValue ? `${rawName} takes no value: leave out =${value}` : undefined;
  if (value === undefined) return `${rawName} needs a value: ${rawName} ${wanted}`;
  if (!inlineValue && value.startsWith("-") && value !== "-")
    return `${rawName} needs a value before ${value}; if that is its value, write ${rawName}=${value}`;
  // A variable of a shell that is not set.
  if (value === "" && wanted !== "TEXT" && !takesNothing) return `${rawName} needs a value: ${rawName} ${wanted}`;
  if (choices && !choices.includes(value)) {
    return `${rawName} takes ${choices.join(" or ")}, not ${JSON.stringify(value)}${hint(value, choices)}`;
  }
  return undefined;
}
