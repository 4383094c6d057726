import { widthOf } from "../visible.ts";

/** Joins as many of the parts as fit into so many columns, from the first on. */
export function fitting(parts: readonly (string | false | undefined)[], columns: number): string {
  const present = parts.filter((part) => typeof part === "string" && part !== "");
  const joined = present.map((_, at) => present.slice(0, at + 1).join(" · "));
  return joined.findLast((text) => widthOf(text) <= columns) ?? "";
}
