import { isObject } from "@troupe/protocol";
import { printable } from "../visible.ts";

/** Makes all texts of a view safe to show, as in a terminal: only lines and tabs stay. */
export function shown<T>(view: T): T {
  if (typeof view === "string") return shownText(view) as unknown as T;
  if (Array.isArray(view)) return view.map(shown) as T;
  if (!isObject(view)) return view;
  return Object.fromEntries(Object.entries(view).map(([name, value]) => [name, shown(value)])) as T;
}

const shownText = (text: string): string =>
  text
    .split(/(\r?\n|\t)/)
    .map((part, at) => (at % 2 === 1 ? part.replace("\r", "") : printable(part)))
    .join("");
