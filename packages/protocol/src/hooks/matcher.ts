import type { Problem } from "../problems.ts";

/** A matcher made ready. */
export interface Matcher {
  readonly matches: (value: string) => boolean;
  /** Why it can never match. */
  readonly problem?: Problem;
}

/**
 * Empty or `*` matches everything. A matcher of letters, digits, `_`, `-`, space, `,` and `|` is a
 * list of exact values. Anything else is a JavaScript regular expression, unanchored. Its run time
 * is not limited: the author of a hook can run any command anyway.
 */
export function compileMatcher(matcher = "", path = ""): Matcher {
  const text = matcher.trim();
  if (text === "" || text === "*") return { matches: () => true };
  if (/^[A-Za-z0-9_,| -]+$/.test(text)) {
    const values = new Set(text.split(/[,|]/).map((value) => value.trim()));
    values.delete("");
    return { matches: (value) => values.has(value) };
  }
  try {
    const pattern = new RegExp(matcher);
    return { matches: (value) => pattern.test(value) };
  } catch {
    const message = `the matcher ${JSON.stringify(matcher.slice(0, 60))} never matches: it is no regular expression`;
    const fix = "use `*`, exact names divided by `|`, or a regular expression";
    return { matches: () => false, problem: { path, code: "field_invalid", message, fix } };
  }
}

/** Whether a matcher, which may be absent, matches this value. */
export const matches = (matcher: string | undefined, value: string): boolean => compileMatcher(matcher).matches(value);
