import { fits, type PatternPlace } from "./wildcard.ts";

/** Whether a path, as the names along it, fits. */
export type PathPattern = (names: readonly string[]) => boolean;

/**
 * A pattern of `**`, `*`, `?` and `[sets]`; a `**` at the end stands for everything below, and not
 * for the directory itself.
 */
export function pathPattern(pattern: string): PathPattern {
  const parts = pattern.split("/").filter((part) => part !== "" && part !== ".");
  const places = parts.map((part): PatternPlace<string> => (part === "**" ? "any" : namePattern(part)));
  if (parts.at(-1) === "**") places.push(() => true);
  return (names) => fits(places, names);
}

function namePattern(part: string): (name: string) => boolean {
  const places: PatternPlace<string>[] = [];
  const characters = [...part];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at];
    const end = character === "[" ? characters.indexOf("]", at + (/[!^]/.test(characters[at + 1] ?? "") ? 3 : 2)) : -1;
    if (character === "*") places.push("any");
    else if (character === "?") places.push(() => true);
    else if (end > 0) {
      places.push(setOf(characters.slice(at + 1, end)));
      at = end;
    } else {
      if (character === "\\" && at + 1 < characters.length) at += 1;
      const literal = characters[at];
      places.push((found) => found === literal);
    }
  }
  return (name) => fits(places, [...name]);
}

function setOf(members: readonly string[]): (character: string) => boolean {
  const isNegated = members[0] === "!" || members[0] === "^";
  const listed = isNegated ? members.slice(1) : members;
  const isListed = (character: string) =>
    listed.some((member, at) => {
      const to = listed[at + 1] === "-" ? listed[at + 2] : undefined;
      return to === undefined ? member === character : member <= character && character <= to;
    });
  return (character) => isListed(character) !== isNegated;
}

const maxAlternatives = 1_000;

/** The patterns that `{a,b}` stands for; more than a thousand are not made. */
export function alternativesOf(pattern: string): readonly string[] {
  const ready: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined && ready.length + open.length < maxAlternatives; next = open.pop()) {
    const [whole, inner] = /\{([^{}]*,[^{}]*)\}/.exec(next) ?? [];
    if (whole === undefined || inner === undefined) ready.push(next);
    else for (const choice of inner.split(",").reverse()) open.push(next.replace(whole, () => choice));
  }
  return ready;
}
