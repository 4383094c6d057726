import { globalOptions } from "../command.ts";
import type { Choices, Next, Offer } from "./choices.ts";

/** A script for bash, which completes file names by itself where nothing is offered. */
export const bashScript = ({ nexts, options, values }: Choices): string => `# troupe: completion for bash
_troupe_names() {
  local name
  # What stands in the line is run: a name that a shell would expand is not offered.
  while read -r name _; do
    [[ $name == "$current"* && ! $name =~ [^[:alnum:]._#-] ]] && COMPREPLY+=("$name")
  done < <(troupe completion names -- "\${words[@]:1}" 2>/dev/null)
}
_troupe() {
  local current=\${COMP_WORDS[COMP_CWORD]} line= word i last=-1
  local -a words=()
  COMPREPLY=()
  # Readline takes --option=value apart at its sign.
  for word in "\${COMP_WORDS[@]:0:COMP_CWORD}"; do
    if [[ $last -ge 0 && ($word == = || \${words[last]} == --*=) ]]; then words[last]+=$word; else words[++last]=$word; fi
  done
  [[ $current == = ]] && current=
  words[last]=\${words[last]%=}
  case \${words[last]} in
${branches([...values].map(([name, value]) => [name, `${action(value)}; return`]))}
  esac
  for ((i = 1; i <= last; i++)); do
    case \${words[i]} in
      ${[...values.keys()].join(" | ")}) ((i++)) ;;
      -*) ;;
      *) line+="\${words[i]} " ;;
    esac
  done
  if [[ $current == -* ]]; then
    case $line in
${branches(options.map(({ words, options }) => [`${behind(words)}*`, offer(optionWords(options))]))}
      (*) ${offer(optionWords(globalOptions))} ;;
    esac
    return
  fi
  case $line in
${branches([...nexts].sort(byOthers).map((next) => [patternOf(next), nextAction(next)]))}
  esac
}
complete -o bashdefault -o default -F _troupe troupe
`;

/** Renders the branches of a `case`; branches with the same action are merged. */
export function branches(cases: readonly (readonly [pattern: string, action: string])[]): string {
  const byAction = new Map<string, string[]>();
  for (const [pattern, action] of cases) byAction.set(action, [...(byAction.get(action) ?? []), pattern]);
  return [...byAction].map(([action, patterns]) => `      (${patterns.join(" | ")}) ${action} ;;`).join("\n");
}

/** Renders words as a `case` pattern. */
export const behind = (words: string): string => (words === "" ? '""' : `"${words} "`);
export const patternOf = ({ words, others, isRest }: Next): string =>
  `${behind(words)}${"*' '".repeat(others)}${isRest ? "*" : ""}`;
/** Sorts longer patterns first, because `*` matches several words. */
export const byOthers = (a: Next, b: Next): number => b.others - a.others;

const optionWords = (options: object): string[] => Object.keys(options).map((name) => `--${name}`);
const offer = (words: readonly string[]): string => `COMPREPLY=($(compgen -W '${words.join(" ")}' -- "$current"))`;

function action(value: Offer | undefined): string {
  if (value === "names") return "_troupe_names";
  return typeof value === "object" ? offer(value) : ":";
}

const nextAction = ({ offers }: Next): string =>
  action(typeof offers === "string" ? offers : offers.map(([word]) => word));
