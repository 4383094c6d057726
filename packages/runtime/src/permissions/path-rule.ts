import { resolve } from "node:path";
import { pathPattern } from "../path-pattern.ts";
import { follow, isBelow } from "./place.ts";

/** From where the paths of a rule are meant. */
export interface PathRuleDeps {
  /** The beginning of `/path`: the project of its settings file, or the file's own directory. */
  readonly base: string;
  /** The beginning of `./path` and `path`. */
  readonly cwd: string;
  readonly home: string;
}

/**
 * Whether a place fits the pattern of a rule: `//absolute`, `~/home`, `/settings`, `./cwd`, or a
 * name at any depth. A wide rule forbids: it takes everything below what it names, in any case of
 * letters; a narrow one allows no more than it says.
 */
export function pathRule(
  pattern: string,
  { base, cwd, home }: PathRuleDeps,
  isWide: boolean,
): (place: string) => boolean {
  const body = pattern.replace(/(?<=.)\/+$/, "/**");
  const isAnchored =
    body.replace(/\/\*\*$/, "").includes("/") || body.startsWith("**") || /^\.{1,2}(?:\/|$)/.test(body);
  const start =
    body.startsWith("//") || (!isAnchored && isWide)
      ? "/"
      : body.startsWith("~/")
        ? home
        : body.startsWith("/")
          ? base
          : cwd;
  const parts = body
    .replace(/^~\//, "")
    .split("/")
    .filter((part) => part !== "" && part !== ".");
  const first = parts.findIndex((part) => /[*?[\\]/.test(part));
  const head = isAnchored || start === "/" || start === home ? parts.slice(0, first < 0 ? parts.length : first) : [];
  const isLoose = !isAnchored && !body.startsWith("~/");
  const directory = isLoose ? start : resolve(start, ...head);
  const rest = isLoose ? ["**", ...parts] : parts.slice(head.length);
  const fold = (text: string): string => (isWide ? text.normalize("NFC").toLowerCase() : text);
  const patterns = alternatives(rest, isWide).map((one) => pathPattern(fold(one.join("/"))));
  const directories = [...new Set([directory, follow(directory) ?? directory])].map(fold);
  return (place) => {
    const folded = fold(place);
    return directories.some((from) => {
      if (!isBelow(folded, from)) return false;
      const names = folded
        .slice(from.length)
        .split("/")
        .filter((name) => name !== "");
      return patterns.some((fits) => fits(names));
    });
  };
}

/**
 * The named path, and everything below it: of a narrow rule only where its last part is a plain
 * name, so that `docs/*` is not `docs/**`.
 */
function alternatives(rest: readonly string[], isWide: boolean): readonly (readonly string[])[] {
  const last = rest.at(-1);
  if (last === undefined) return [[], ["**"]];
  if (last === "**") return [rest, rest.slice(0, -1)];
  return isWide || !/[*?[]/.test(last) ? [rest, [...rest, "**"]] : [rest];
}
