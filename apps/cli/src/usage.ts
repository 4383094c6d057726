import { type Arg, type Command, type Option, teamArg } from "./command.ts";

/** Renders the syntax of a command: `troupe task show <team> <id>`. */
export const usageOf = ({ name, args, options }: Pick<Command, "name" | "args" | "options">): string =>
  ["troupe", name, ...args.map(argUsage), ...(Object.keys(options).length > 0 ? ["[options]"] : [])].join(" ");

function argUsage(arg: Arg): string {
  const { name, isOptional, isRest, unless } = arg;
  const word = `${name}${isRest ? "..." : ""}`;
  if (unless !== undefined) return `<${word}|--${unless}>`;
  return isOptional || arg === teamArg ? `[${word}]` : `<${word}>`;
}

/** Renders the syntax of an option: `-y, --yes`, `--root DIR`. */
export const optionUsage = (name: string, { short, value, choices }: Option): string =>
  `${short ? `-${short}, ` : ""}--${name}${value ? ` ${choices ? choices.join("|") : value}` : ""}`;
