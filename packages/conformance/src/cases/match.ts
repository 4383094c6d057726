import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../record.ts";

/** A word that asks more than equality, as `{$type: integer}`. */
type Operator = (argument: unknown, actual: unknown, at: string) => readonly string[];

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};

const folded = (value: unknown): unknown => (typeof value === "string" ? value.normalize("NFC").toLowerCase() : value);

const unless = (isFine: boolean, at: string, expected: string, actual: unknown): readonly string[] =>
  isFine ? [] : [`${at || "/"} is ${shown(actual)}, expected ${expected}`];

const typeOf = (value: unknown): string => {
  if (Array.isArray(value)) return "array";
  if (Number.isSafeInteger(value)) return "integer";
  return value === null ? "null" : typeof value;
};

const operators: Readonly<Record<string, Operator>> = {
  $type: (type, actual, at) => unless(typeOf(actual) === type, at, `${String(type)}`, actual),
  $match: (pattern, actual, at) =>
    unless(typeof actual === "string" && new RegExp(String(pattern), "u").test(actual), at, `/${pattern}/`, actual),
  $any: (_, actual, at) => unless(actual !== undefined, at, "anything", actual),
  $absent: (_, actual, at) => unless(actual === undefined, at, "nothing", actual),
  $not: (expected, actual, at) =>
    unless(differences(expected, actual, at).length > 0, at, `anything but ${shown(expected)}`, actual),
  $oneOf: (options, actual, at) =>
    unless(
      (options as unknown[]).some((option) => differences(option, actual, at).length === 0),
      at,
      `one of ${shown(options)}`,
      actual,
    ),
  $exactly: (expected, actual, at) =>
    unless(isDeepStrictEqual(expected, actual), at, `exactly ${shown(expected)}`, actual),
  $includes: (expected, actual, at) =>
    unless(
      typeof actual === "string"
        ? actual.includes(String(expected))
        : Array.isArray(actual) && actual.some((one) => differences(expected, one, at).length === 0),
      at,
      `something with ${shown(expected)}`,
      actual,
    ),
  $includesAll: (expected, actual, at) =>
    (expected as unknown[]).flatMap((one) => differences({ $includes: one }, actual, at)),
  $each: (expected, actual, at) =>
    Array.isArray(actual)
      ? actual.flatMap((one, index) => differences(expected, one, `${at}/${index}`))
      : unless(false, at, "an array", actual),
  $unique: (key, actual, at) => {
    const values = Array.isArray(actual) ? actual.map((one) => folded(partAt(one, `/${String(key)}`))) : [undefined];
    return unless(
      !values.includes(undefined) && new Set(values).size === values.length,
      at,
      `each ${key} once`,
      actual,
    );
  },
  $length: (length, actual, at) =>
    unless(
      (typeof actual === "string" || Array.isArray(actual)) && actual.length === length,
      at,
      `length ${length}`,
      actual,
    ),
};

/**
 * How a value differs from what is expected. Objects may have more fields than are asked for;
 * arrays have as many elements, in that order. An object with one key that begins with `$` is one
 * of the operators.
 */
export function differences(expected: unknown, actual: unknown, at = ""): readonly string[] {
  if (isRecord(expected)) {
    const [[name, argument] = ["", undefined], ...others] = Object.entries(expected);
    const operator = others.length === 0 && Object.hasOwn(operators, name) ? operators[name] : undefined;
    if (operator) return operator(argument, actual, at);
    if (!isRecord(actual)) return unless(false, at, `an object with ${shown(expected)}`, actual);
    return Object.entries(expected).flatMap(([key, inner]) =>
      differences(inner, Object.hasOwn(actual, key) ? actual[key] : undefined, `${at}/${key}`),
    );
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) {
      return unless(false, at, `${expected.length} elements: ${shown(expected)}`, actual);
    }
    return expected.flatMap((inner: unknown, index) => differences(inner, actual[index], `${at}/${index}`));
  }
  return unless(Object.is(expected, actual), at, shown(expected), actual);
}

/** The part of a document that a JSON pointer names; undefined where there is none. */
export function partAt(document: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((part, key) => {
      if (Array.isArray(part)) return part.at(Number(key));
      return isRecord(part) && Object.hasOwn(part, key) ? part[key] : undefined;
    }, document);
}
