import { globalOptions, type Option } from "../command.ts";
import { type Choices, type Next, type Offer, offerOf } from "./choices.ts";

/** A script for fish, which shows what each word means. */
export const fishScript = ({ nexts, options, values }: Choices): string => `# troupe: completion for fish
function __troupe_names
  troupe completion names -- (commandline -opc)[2..] 2>/dev/null | string replace ' ' \\t
end
function __troupe_at
  set -l line
  set -l skips no
  for word in (commandline -opc)[2..]
    if test $skips = yes
      set skips no
    else if contains -- $word ${[...values.keys()].join(" ")}
      set skips yes
    else if not string match -q -- '-*' $word
      set -a line $word
    end
  end
  string match -qr -- $argv[1] (string join ' ' -- '' $line)
end
complete -c troupe -f
${nexts.flatMap(nextLines).join("\n")}
${options.flatMap(({ words, options }) => optionLines(`^ ${words}( |$)`, options)).join("\n")}
${optionLines("^$", globalOptions).join("\n")}
`;

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
const when = (pattern: string): string => `-n ${quoted(`__troupe_at ${quoted(pattern)}`)}`;

function nextLines({ words, others, isRest, offers }: Next): string[] {
  const at = when(`^${words && ` ${words}`}${"( [^ ]+)".repeat(others)}${isRest ? "( .*)?" : ""}$`);
  if (typeof offers === "string") return [`complete -c troupe ${at} ${argument(offers)}`];
  return offers.map(([word, meaning]) => `complete -c troupe ${at} -a ${word}${meaning && ` -d ${quoted(meaning)}`}`);
}

const optionLines = (pattern: string, options: Readonly<Record<string, Option>>): string[] =>
  Object.entries(options).map(([name, { short, summary, value, choices, completes }]) => {
    const takes = value === undefined ? "" : ` -r ${argument(choices ?? offerOf(completes))}`;
    return `complete -c troupe ${when(pattern)} -l ${name}${short ? ` -s ${short}` : ""}${takes} -d ${quoted(summary)}`;
  });

function argument(value: Offer | undefined): string {
  if (value === "names") return "-f -a '(__troupe_names)'";
  if (value === "file") return "-F";
  if (value === "directory") return "-f -a '(__fish_complete_directories)'";
  return value === undefined ? "-f" : `-f -a ${quoted(value.join(" "))}`;
}
