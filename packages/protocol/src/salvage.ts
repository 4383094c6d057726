import type { z } from "zod";
import type { Problem } from "./problems.ts";

/** No genuine list is longer; validating each element of a longer one would take too long. */
const maxElements = 10_000;

/** The problem of a document, or of the body of a message, that holds such a list. */
export function longList(raw: unknown): Problem | undefined {
  for (const [key, value] of Object.entries(raw ?? {})) {
    if (!Array.isArray(value) || value.length <= maxElements) continue;
    const message = `/${key} has ${value.length} elements, more than ${maxElements}`;
    return { path: `/${key}`, code: "field_invalid", message, fix: `remove from /${key} what does not belong there` };
  }
  return undefined;
}

type Container = Record<PropertyKey, unknown>;

/**
 * The largest part of `raw` that the schema accepts: each invalid field is left out, together with
 * what cannot do without it. Undefined if nothing is left. `raw` is not modified: only objects with
 * an invalid field are copied. An invalid vital field removes its holder: without the field the
 * rest would claim more than was written, such as that a task has no owner.
 */
export function salvage<T>(schema: z.ZodType<T>, raw: unknown, vital: ReadonlySet<string> = new Set()): T | undefined {
  let value = raw;
  const copies = new Set<unknown>();
  const own = (from: unknown): Container => {
    if (copies.has(from)) return from as Container;
    const copy = Array.isArray(from) ? from.slice() : Object.fromEntries(Object.entries(from as object));
    copies.add(copy);
    return copy as Container;
  };

  for (;;) {
    const read = schema.safeParse(value);
    if (read.success) return value as T;
    const doomed = new Map<Container, Set<PropertyKey>>();
    for (const { path } of read.error.issues) {
      const fatal = path.findIndex((key) => vital.has(String(key)));
      const [last, ...way] = present(value, fatal < 0 ? path : path.slice(0, fatal)).toReversed();
      if (last === undefined) return undefined;
      let parent = own(value);
      value = parent;
      for (const key of way.toReversed()) {
        parent[key] = own(parent[key]);
        parent = parent[key] as Container;
      }
      doomed.set(parent, (doomed.get(parent) ?? new Set()).add(last));
    }
    for (const [parent, keys] of doomed) remove(parent, keys);
  }
}

/** The existing part of a path: a missing field is removed together with its holder. */
function present(value: unknown, path: readonly PropertyKey[]): PropertyKey[] {
  const way: PropertyKey[] = [];
  let current = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) break;
    way.push(key);
    current = (current as Container)[key];
  }
  return way;
}

function remove(parent: Container, keys: ReadonlySet<PropertyKey>): void {
  if (!Array.isArray(parent)) {
    for (const key of keys) Reflect.deleteProperty(parent, key);
    return;
  }
  let length = 0;
  parent.forEach((item, index) => {
    if (!keys.has(index)) parent[length++] = item;
  });
  parent.length = length;
}
