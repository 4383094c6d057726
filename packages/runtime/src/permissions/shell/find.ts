import type { Word } from "./script.ts";

const alone = new Set(
  "-empty -print -print0 -not -a -o -and -or -prune -depth -xdev -mount -true -false -readable -writable -executable -quit ( ) !".split(
    " ",
  ),
);
const valued = new Set(
  "-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -size -maxdepth -mindepth -atime -ctime -mtime -amin -cmin -mmin -newer -newermt -perm -user -group".split(
    " ",
  ),
);

/** The words of a `find` that say where it begins to look. */
export function startsOf(words: readonly Word[]): readonly Word[] {
  const first = words.findIndex(({ text }, at) => !/^-(?:[LHP]|O\d*|D|-)$/.test(text) && words[at - 1]?.text !== "-D");
  const rest = first < 0 ? [] : words.slice(first);
  const end = rest.findIndex(({ text }) => /^[-(!]/.test(text));
  return end < 0 ? rest : rest.slice(0, end);
}

/**
 * Whether what `-exec` runs ends there; to a `+` without `{}` before it the program gets to see.
 */
export const endsExec = (word: string, before: string | undefined): boolean =>
  word === ";" || (word === "+" && before === "{}");

/**
 * Where a `find` that only prints names begins to look, and what else it looks at; undefined for
 * one that may do more. Where it may run programs, these are judged by themselves.
 */
export function startsOfFind(
  words: readonly string[],
  mayRun = false,
): { readonly starts: readonly string[]; readonly others: readonly string[] } | undefined {
  const first = words.findIndex((word) => /^[-(!]/.test(word));
  const starts = first < 0 ? words : words.slice(0, first);
  const others = words.filter((_, at) => words[at - 1] === "-newer");
  for (let at = first < 0 ? words.length : first; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const end =
      mayRun && word === "-exec" ? words.findIndex((one, index) => index > at && endsExec(one, words[index - 1])) : -1;
    if (end > 0) at = end;
    else if (valued.has(word) && at + 1 < words.length) at += 1;
    else if (!alone.has(word)) return undefined;
  }
  return { starts: starts.length > 0 ? starts : ["."], others };
}
