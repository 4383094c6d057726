import { globalOptions, type Option } from "../command.ts";
import { behind, branches, byOthers, patternOf } from "./bash.ts";
import type { Choices, Next, Offer, Word } from "./choices.ts";

/** A script for zsh, which shows what each word means. */
export const zshScript = ({ nexts, options, values }: Choices): string => `#compdef troupe
_troupe_names() {
  local -a offers=("\${(@f)$(troupe completion names -- "\${(@)words[2,CURRENT-1]}" 2>/dev/null)}")
  # A space ends the name in what troupe prints, a colon ends it here.
  offers=("\${(@)\${(@)offers//:/\\\\:}/ /:}")
  [[ -n $offers ]] && _describe troupe offers
}
_troupe() {
  local line= word
  local -i skips=0
  local -a offers
  case $words[CURRENT-1] in
${branches([...values].map(([name, value]) => [name, `${action(value)}; return`]))}
  esac
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if ((skips)); then
      skips=0
      continue
    fi
    case $word in
      (${[...values.keys()].join(" | ")}) skips=1 ;;
      (-*) ;;
      (*) line+="$word " ;;
    esac
  done
  if [[ $PREFIX == -* ]]; then
    case $line in
${branches(options.map(({ words, options }) => [`${behind(words)}*`, describe(optionWords(options))]))}
      (*) ${describe(optionWords(globalOptions))} ;;
    esac
    return
  fi
  case $line in
${branches([...nexts].sort(byOthers).map((next) => [patternOf(next), nextAction(next)]))}
  esac
}
if [[ $funcstack[1] == _troupe ]]; then _troupe "$@"; else compdef _troupe troupe; fi
`;

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const optionWords = (options: Readonly<Record<string, Option>>): Word[] =>
  Object.entries(options).map(([name, { summary }]) => [`--${name}`, summary]);
const describe = (words: readonly Word[]): string =>
  `offers=(${words.map(([word, meaning]) => quoted(meaning ? `${word}:${meaning}` : word)).join(" ")}); _describe troupe offers`;

function action(value: Offer | undefined): string {
  if (value === "names") return "_troupe_names";
  if (value === "file") return "_files";
  if (value === "directory") return "_files -/";
  return value === undefined ? ":" : `compadd ${value.join(" ")}`;
}

const nextAction = ({ offers }: Next): string => (typeof offers === "string" ? action(offers) : describe(offers));
