import { isDeepStrictEqual } from "node:util";
import { defaultParams } from "../checks/teams.ts";
import type { Params } from "../target.ts";
import type { Phrase } from "./target-file.ts";

/** A command line, and what is written to its standard input. */
export interface Spoken {
  readonly argv: readonly string[];
  readonly stdin: string;
}

const placeholder = /\{([a-zA-Z]+)\}/g;

const placesIn = (text: string): readonly string[] => [...text.matchAll(placeholder)].map(([, name = ""]) => name);

/**
 * The first phrase that can express the call; undefined if none can. It may add known parameters.
 */
export function speak(
  phrases: readonly Phrase[],
  method: string,
  params: Params,
  besides: Params = {},
): Spoken | undefined {
  const known: Params = { ...besides, ...params };
  for (const phrase of phrases) {
    const { when = {}, run, stdin = "" } = phrase;
    if (!Object.entries(when).every(([name, value]) => isDeepStrictEqual(known[name], value))) continue;
    const places = new Set([...Object.keys(when), ...[...run.flat(), stdin].flatMap(placesIn)]);
    const unsaid = Object.entries(params).filter(([name, value]) => !places.has(name) && matters(method, name, value));
    if (unsaid.length > 0) continue;
    const has = (text: string) => placesIn(text).every((name) => known[name] !== undefined);
    const words = run.flatMap((word) => (typeof word === "string" ? [word] : repeated(word, known)));
    if (![...run.filter((word) => typeof word === "string"), stdin].every(has)) continue;
    return { argv: words.map((word) => filled(word, known)), stdin: filled(stdin, known) };
  }
  return undefined;
}

const filled = (text: string, known: Params): string =>
  text.replace(placeholder, (_, name: string) => asText(known[name]));

/** Fills the words of a group: none if one has no value, and once for each element of a list. */
function repeated(group: readonly string[], known: Params): readonly string[] {
  const names = group.flatMap(placesIn);
  if (names.some((name) => known[name] === undefined)) return [];
  const list = names.find((name) => Array.isArray(known[name]));
  const elements = list === undefined ? [known] : (known[list] as unknown[]).map((one) => ({ ...known, [list]: one }));
  return elements.flatMap((element) => group.map((word) => filled(word, element)));
}

/** Parameters that a check does not test may be missing from a command; `backend` never may. */
const matters = (method: string, name: string, value: unknown): boolean =>
  value !== undefined &&
  name !== "sessionId" &&
  (name === "backend" || !isDeepStrictEqual(defaultParams[method]?.[name], value));

function asText(value: unknown): string {
  if (Array.isArray(value)) return value.map(asText).join(",");
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return value === null ? "" : String(value);
}
