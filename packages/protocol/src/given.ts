import { TroupeError } from "./errors.ts";
import { isObject } from "./json/is-object.ts";

/** The types that a value can be required to have, with their names. */
const kinds = {
  string: ["a text", (value: unknown) => typeof value === "string"],
  path: ["a path", (value: unknown) => typeof value === "string" && value !== "" && !value.includes("\0")],
  number: ["a number", (value: unknown) => typeof value === "number"],
  boolean: ["true or false", (value: unknown) => typeof value === "boolean"],
  function: ["a function", (value: unknown) => typeof value === "function"],
  object: ["an object", (value: unknown) => isObject(value)],
  json: ["an object that JSON can hold", (value: unknown) => isObject(value) && isJson(value)],
  array: ["a list", (value: unknown) => Array.isArray(value)],
  strings: [
    "a list of texts",
    (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === "string"),
  ],
  set: ["a Set", (value: unknown) => value instanceof Set],
  bytes: ["a text or bytes", (value: unknown) => typeof value === "string" || value instanceof Uint8Array],
  signal: ["an AbortSignal", (value: unknown) => value instanceof AbortSignal],
} as const;
type Kind = keyof typeof kinds;

/** The type of each field; a question mark makes it optional. */
export type Shape = Readonly<Record<string, Kind | `${Kind}?`>>;

/** Throws `arguments_invalid` and names the field: an untyped caller may pass anything. */
export function assertGiven(call: string, given: unknown, shape: Shape): void {
  if (!isObject(given)) throw wrong(call, given, "an object");
  for (const field of Object.keys(shape)) {
    const value = given[field];
    const wanted = shape[field] as string;
    const isOptional = wanted.endsWith("?");
    if (value === undefined && isOptional) continue;
    const [words, isRight] = kinds[(isOptional ? wanted.slice(0, -1) : wanted) as Kind];
    if (!isRight(value)) throw wrong(`${field} of ${call}`, value, words);
  }
}

/** A value in a message, whatever it is: texts as JSON has them, and cut where they are long. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 200 ? `${value.slice(0, 200)}…` : value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "function" ? "a function" : String(value);
}

function wrong(field: string, value: unknown, words: string): TroupeError {
  return new TroupeError("arguments_invalid", `${field} is ${shown(value)}: give ${words}`, { field });
}

function isJson(value: unknown): boolean {
  try {
    const text = JSON.stringify(value, (_, one: unknown) => {
      if (typeof one === "function" || typeof one === "symbol") throw new TypeError("JSON leaves it out");
      return one;
    });
    return text !== undefined;
  } catch {
    return false;
  }
}
