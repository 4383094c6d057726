import { appendFileSync, lstatSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { Repository } from "./repository.ts";

/**
 * Links directories of the repository into a worktree instead of copying them; a directory that is
 * missing or exists there already is left.
 */
export function linkInto(
  path: string,
  { root, common }: Repository,
  names: readonly string[],
  warn: (message: string) => void,
): void {
  for (const name of names) {
    try {
      link(name);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "EEXIST") warn(`${name} could not be linked into ${path}: ${message}`);
    }
  }

  function link(name: string): void {
    const to = join(path, name);
    const below = relative(path, to);
    if (below === "" || below.startsWith("..")) throw new Error("it is not below the repository");
    const from = join(root, below);
    const real = realpathSync(from);
    if (!isBelow(real, realpathSync(root))) throw new Error(`it leads out of the repository, to ${real}`);
    if (realpathSync(dirname(to)) !== dirname(to)) throw new Error("a link of the repository leads elsewhere");
    if (lstatSync(to, { throwIfNoEntry: false })) return;
    // "node_modules/" in a .gitignore does not mean a link, and `git add -A` would take it.
    ignore(common, `/${below}`);
    symlinkSync(from, to);
  }
}

const isBelow = (path: string, root: string): boolean => path.startsWith(`${root}${sep}`);

/**
 * Adds a path to git's local exclude file, so that git ignores it in all working trees of this
 * clone only.
 */
export function ignore(common: string, pattern: string): void {
  const file = join(common, "info", "exclude");
  mkdirSync(dirname(file), { recursive: true });
  const text = lstatSync(file, { throwIfNoEntry: false }) ? readFileSync(file, "utf8") : "";
  if (text.split("\n").includes(pattern)) return;
  appendFileSync(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}${pattern}\n`);
}
