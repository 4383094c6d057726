import { forbiddenPlaces } from "./forbidden-places.ts";
import { guessesOf, linesToForbid } from "./lines.ts";
import { programOf, type Uses } from "./part-use.ts";
import { removesAll } from "./removal.ts";
import type { Rule } from "./rule.ts";
import { type Ground, hidden, type Ruling, ruled } from "./ruling.ts";
import type { Part } from "./shell/part.ts";

/**
 * The outcome of the rules that deny and ask for a command, and the outcome if it hid nothing: they
 * match where they may match.
 */
export function forbiddenBy(
  ground: Ground,
  { parts, isBroken, uses }: { readonly parts: readonly Part[]; readonly isBroken: boolean; readonly uses: Uses },
): readonly Ruling[] {
  const found: Ruling[] = [];
  for (const behavior of ["deny", "ask"] as const) {
    const rules = ground.rules.filter((rule) => rule.behavior === behavior && (rule.command || rule.isPlace));
    const ofCommands = rules.filter(({ command }) => command);
    const ofPlaces = rules.filter(({ isPlace }) => isPlace);
    for (const part of parts) {
      if (ofCommands.length > 0) found.push(...onCommand(part, ofCommands, uses));
      if (ofPlaces.length > 0) found.push(...forbiddenPlaces(ground, part, ofPlaces, uses));
    }
    const [any] = rules;
    if (any && isBroken) found.push(hidden(any));
  }
  if (parts.some((part) => removesAll(ground, part, uses))) {
    found.push({
      behavior: "ask",
      reason: "it removes the home directory, one of the agent's directories or a directory above them",
      holds: true,
    });
  }
  return found;
}

function onCommand(part: Part, rules: readonly Rule[], uses: Uses): readonly Ruling[] {
  const lines = linesToForbid(part);
  const hit = rules.find(({ command }) => lines.some((line) => command?.fits(line)));
  if (hit) return [ruled(hit)];
  const guesses = programOf(part) === "echo" || uses.reads(part) ? [] : guessesOf(part);
  const possible = rules.find(
    ({ command }) => lines.some((line) => command?.mayFit(line)) || guesses.some((line) => command?.fits(line)),
  );
  return possible ? [hidden(possible)] : [];
}
