import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { readGiven } from "../given-file.ts";
import { type PathPattern, pathPattern } from "../path-pattern.ts";

/** One line of a .gitignore. */
export interface IgnoreRule {
  /** The directory it speaks of. */
  readonly base: string;
  readonly pattern: PathPattern;
  readonly isNegated: boolean;
  readonly onlyDirectories: boolean;
}

const maxBytes = 256 * 1024;

/** Read here and not by git, which runs what the configuration of a repository names. */
export function rulesIn(base: string, file = join(base, ".gitignore")): readonly IgnoreRule[] {
  const given = readGiven(file, maxBytes);
  if ("fault" in given) return [];
  return Buffer.from(given.bytes)
    .toString()
    .split("\n")
    .flatMap((line) => {
      const written = line.endsWith("\\ ") ? line : line.trimEnd();
      if (written === "" || written.startsWith("#")) return [];
      const isNegated = written.startsWith("!");
      const body = isNegated ? written.slice(1) : written;
      const isAnchored = body.slice(0, -1).includes("/");
      const pattern = pathPattern(isAnchored ? body : `**/${body}`);
      return [{ base, pattern, isNegated, onlyDirectories: body.endsWith("/") }];
    });
}

/** Rules for a directory because of the directories above it, up to the top of its repository. */
export function rulesAbove(directory: string): readonly IgnoreRule[] {
  const above: string[] = [];
  for (let at = directory; ; at = dirname(at)) {
    if (at !== directory) above.unshift(at);
    if (existsSync(join(at, ".git"))) {
      return [...rulesIn(at, join(at, ".git", "info", "exclude")), ...above.flatMap((one) => rulesIn(one))];
    }
    if (dirname(at) === at) return [];
  }
}

/** The last rule that fits decides. */
export function isIgnored(rules: readonly IgnoreRule[], path: string, isDirectory: boolean): boolean {
  const rule = rules.findLast(
    ({ base, pattern, onlyDirectories }) =>
      (isDirectory || !onlyDirectories) && pattern(relative(base, path).split(sep)),
  );
  return rule !== undefined && !rule.isNegated;
}
