import type { parseArgs } from "node:util";
import { type Command, globalOptions, type Option } from "./command.ts";
import { hint } from "./nearest.ts";
import { usageOf } from "./usage.ts";

/** An option or a word as it was given on the command line. */
export type Token = NonNullable<ReturnType<typeof parseArgs>["tokens"]>[number];

type Read =
  | { readonly kind: "run"; readonly command: Command; readonly args: object; readonly options: object }
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
  const missing = command.args.find((arg, index) => !arg.isOptional && index >= words.length);
  if (missing) return wrong(`${name} needs <${missing.name}>: ${usageOf(command)}`);
  const surplus = command.args.at(-1)?.isRest ? undefined : words[command.args.length];
  if (surplus !== undefined) return wrong(`${JSON.stringify(surplus)} is one argument too many: ${usageOf(command)}`);
  const args = command.args.map((arg, index) => [arg.name, arg.isRest ? words.slice(index) : words[index]]);
  return { kind: "run", command, args: Object.fromEntries(args), options: Object.fromEntries(options) };
}

function faultOf({ value: wanted, choices }: Option, token: Token & { kind: "option" }): string | undefined {
  const { rawName, value, inlineValue } = token;
  if (wanted === undefined) return inlineValue ? `${rawName} takes no value: leave out =${value}` : undefined;
  if (value === undefined) return `${rawName} needs a value: ${rawName} ${wanted}`;
  if (!inlineValue && value.startsWith("-") && value !== "-")
    return `${rawName} needs a value before ${value}; if that is its value, write ${rawName}=${value}`;
  if (choices && !choices.includes(value)) {
    return `${rawName} takes ${choices.join(" or ")}, not ${JSON.stringify(value)}${hint(value, choices)}`;
  }
  return undefined;
}
