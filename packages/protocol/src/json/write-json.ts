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

/** An amended document; an undefined value removes its key. */
export type Patch<T> = { readonly [K in keyof T]?: T[K] | undefined };

/**
 * Existing keys keep their place, also unknown ones; a new key goes behind the last one that `order` puts before it.
 * Keys are copied as own properties, so one called `__proto__` stays an ordinary key.
 */
export function amend<T extends object>(order: readonly string[], document: T, patch: Patch<T>): T {
  const entries = Object.entries(document).filter(
    ([key]) => !Object.hasOwn(patch, key) || patch[key as keyof T] !== undefined,
  );
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const present = entries.find(([name]) => name === key);
    if (present) present[1] = value;
    else entries.splice(placeOf(order, entries, key), 0, [key, value]);
  }
  return Object.fromEntries(entries) as T;
}

function placeOf(order: readonly string[], entries: readonly [string, unknown][], key: string): number {
  const rank = order.indexOf(key);
  if (rank < 0) return entries.length;
  const before = new Set(order.slice(0, rank));
  return entries.findLastIndex(([name]) => before.has(name)) + 1;
}
