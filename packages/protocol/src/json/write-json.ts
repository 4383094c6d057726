import { TroupeError } from "../errors.ts";

/** The layout of the reference clients: two spaces, no newline at the end. */
export function writeJson(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, null, 2);
  } catch (cause) {
    throw new TroupeError("document_unwritable", "the document cannot be written as JSON", {}, cause);
  }
  if (text === undefined) throw new TroupeError("document_unwritable", "there is no document to write");
  return text;
}

/** The keys a type names, without the ones it merely allows. */
type NamedKeys<T> = keyof { [K in keyof T as string extends K ? never : number extends K ? never : K]: true };
type AsGiven<V> = V extends readonly (infer Element)[] ? readonly Element[] : V;

/** The changes of a document; an undefined value removes its key. */
export type Patch<T, Fixed extends PropertyKey = never> = {
  readonly [K in Exclude<NamedKeys<T>, Fixed>]?: AsGiven<T[K & keyof T]> | undefined;
};

/**
 * Existing keys keep their place, also unknown ones; a new key goes behind the last one that
 * `order` puts before it. Keys are copied as own properties, so one called `__proto__` stays an
 * ordinary key.
 */
export function amend(order: readonly string[], document: object, patch: object): object {
  const entries = Object.entries(document).filter(
    ([key]) => !Object.hasOwn(patch, key) || (patch as Record<string, unknown>)[key] !== undefined,
  );
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const present = entries.find(([name]) => name === key);
    if (present) present[1] = value;
    else entries.splice(placeOf(order, entries, key), 0, [key, value]);
  }
  return Object.fromEntries(entries);
}

function placeOf(order: readonly string[], entries: readonly [string, unknown][], key: string): number {
  const rank = order.indexOf(key);
  if (rank < 0) return entries.length;
  const before = new Set(order.slice(0, rank));
  return entries.findLastIndex(([name]) => before.has(name)) + 1;
}
