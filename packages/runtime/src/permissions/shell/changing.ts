import { posix } from "node:path";
import type { Argument } from "./argument.ts";
import { cutOptions, type Options } from "./options.ts";
import type { Read } from "./reading.ts";

/** Programs that change files, with the options that are known. */
export const changing: Readonly<Record<string, Options>> = {
  mkdir: { flags: "pv", long: ["parents", "verbose"] },
  touch: { flags: "acm", long: ["no-create"] },
  rmdir: { flags: "pv" },
  rm: { flags: "rRfvd", long: ["recursive", "force", "verbose"] },
  mv: { flags: "fnuv", long: ["force", "no-clobber", "verbose"] },
  cp: { flags: "rRpafnuv", long: ["recursive", "force", "no-clobber", "verbose", "archive"] },
};

/**
 * The files that `mkdir`, `touch`, `rm`, `mv` or `cp` changes; undefined for other programs and
 * calls.
 */
export function changesOf(name: string, words: readonly Argument[]): readonly Read[] | undefined {
  const options = Object.hasOwn(changing, name) ? changing[name] : undefined;
  const cut = options && cutOptions(words, options);
  if (!cut || cut.operands.length === 0 || cut.operands.some(({ isBelow }) => isBelow)) return undefined;
  // These put what a directory holds into another one, whatever names there are in it.
  if (cut.operands.some(({ text }) => text === "" || /\/\.?\.?$/.test(text) || /^\.\.?$/.test(text))) {
    const isWhole = name === "cp" || name === "mv" ? cut.operands.slice(0, -1) : cut.operands;
    if (isWhole.some(({ text }) => text === "" || /(?:^|\/)\.{0,2}$/.test(text))) return undefined;
  }
  const isDeep =
    name === "mv" ||
    (name === "cp" && cut.found.some(({ name: option }) => /^(?:[rRa]|recursive|archive)$/.test(option)));
  const changed = cut.operands.map(({ text }) => text);
  const last = changed.at(-1);
  // Into a directory: what is there under the same name is written, and a link followed.
  const into = isDeep || name === "cp" ? changed.slice(0, -1).map((path) => `${last}/${posix.basename(path)}`) : [];
  return [...changed, ...into].map((path) => ({ path, walks: isDeep }));
}
