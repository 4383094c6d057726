import type { Argument } from "./argument.ts";
import { cutOptions } from "./options.ts";
import type { Read } from "./reading.ts";

const reads = (files: readonly Argument[]): readonly Read[] =>
  files.map(({ text, isBelow = false }) => ({ path: text, walks: isBelow, follows: isBelow }));

/**
 * The commands of sed that print, delete, end or replace; others read and write files and run
 * programs.
 */
const address = String.raw`(?:[0-9]+|\$|/(?:[^/\\\n[\]]|\\[^\n])*/)`;
const pattern = String.raw`(?:[^/\\\n[\]]|\\[^\n]|\[[^/\]\n]+\])*`;
const sedCommand = String.raw`(?:${address}(?:,${address})?)?!?(?:[pdq=]|s/${pattern}/(?:[^/\\\n]|\\[^\n])*/[gpI0-9]*)`;
const sedScript = new RegExp(String.raw`^\s*${sedCommand}(?:\s*[;\n]\s*${sedCommand})*\s*;?\s*$`);

export function readsOfSed(words: readonly Argument[]): readonly Read[] | undefined {
  const cut = cutOptions(words, { flags: "nErsz", values: "e", long: ["quiet", "regexp-extended", "expression="] });
  if (!cut) return undefined;
  const given = cut.found.flatMap(({ name, value }) =>
    /^(?:e|expression)$/.test(name) && value !== undefined ? [value] : [],
  );
  const [first, ...rest] = cut.operands;
  if (given.length === 0 && (!first || first.glob || first.isBelow)) return undefined;
  const scripts = given.length > 0 ? given : [first?.text ?? ""];
  return scripts.every((script) => sedScript.test(script)) ? reads(given.length > 0 ? cut.operands : rest) : undefined;
}

/**
 * Words that start programs, open files or show the environment, in any of the dialects; `>` also
 * stands for greater.
 */
const awkMore =
  />(?!=)|[@`]|(?<!\|)\|(?!\|)|\\\n|system|getline|close|fflush|extension|load|include|ARGV|ARGC|ENVIRON|PROCINFO|SYMTAB|FUNCTAB/;

export function readsOfAwk(words: readonly Argument[]): readonly Read[] | undefined {
  // Its options end with the program: what follows is a file, whatever it looks like, or sets a
  // variable.
  let at = 0;
  while (/^-[vF]/.test(words[at]?.text ?? "")) at += words[at]?.text.length === 2 ? 2 : 1;
  if (words[at]?.text === "--") at += 1;
  else if (words[at]?.text.startsWith("-")) return undefined;
  const cut = cutOptions(words.slice(0, at), { values: "vF" });
  const [program, ...files] = words.slice(at);
  if (!cut || !program || program.glob || program.isBelow || awkMore.test(program.text)) return undefined;
  const sets = cut.found.flatMap(({ name, value = "" }) => (name === "v" ? [value] : []));
  if (!sets.every((text) => /^(?:[a-z]\w*|O?[FR]S)=/.test(text) && !awkMore.test(text))) return undefined;
  return files.some(({ text, glob }) => text.includes("=") || text.startsWith("-") || glob === "wild")
    ? undefined
    : reads(files);
}

export function readsOfJq(words: readonly Argument[]): readonly Read[] | undefined {
  const cut = cutOptions(words, {
    flags: "rcsneSMCja",
    long: ["raw-output", "compact-output", "slurp", "null-input", "exit-status", "sort-keys", "tab", "color-output"],
  });
  const [program, ...files] = cut?.operands ?? [];
  if (!program || program.glob || program.isBelow) return undefined;
  const isMore = /\b(?:import|include|env|modulemeta|get_search_list)\b|ENV/.test(program.text);
  return isMore ? undefined : reads(files);
}
