import type { z } from "zod";

/** Closed: a reader can branch on it. */
export type ProblemCode =
  | "bom_present"
  | "document_malformed"
  | "document_too_deep"
  | "document_too_large"
  | "document_torn"
  | "field_alias"
  | "field_invalid"
  | "field_missing"
  | "id_mismatched"
  | "number_unsafe"
  | "key_duplicated"
  | "name_duplicated"
  | "problems_omitted"
  | "text_not_utf8";

/**
 * A problem of a document, described so that a person can act. Readers return it and never throw
 * it.
 */
export interface Problem {
  /** JSON Pointer to the value in question; empty for the whole document. */
  readonly path: string;
  readonly code: ProblemCode;
  readonly message: string;
  /** How to fix it. */
  readonly fix: string;
}

/** JSON Pointer (RFC 6901), as ajv and most validators spell a place in a document. */
export const pointer = (path: readonly PropertyKey[]): string =>
  path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/**
 * Converts zod's issues to problems. `value` is what was parsed, `at` its position in the document.
 */
export function problemsOf(error: z.ZodError, value: unknown, at: readonly PropertyKey[] = []): Problem[] {
  return error.issues.flatMap(likeliest).map((issue) => {
    const path = pointer([...at, ...issue.path]);
    const found = valueAt(value, issue.path);
    const name = path || "the document";
    return found === undefined
      ? { path, code: "field_missing", message: `${name} is missing`, fix: `add ${name}${wanted(issue)}` }
      : {
          path,
          code: "field_invalid",
          message: `${name} is ${describe(found)}${wanted(issue, ", not ")}`,
          fix: `make ${name}${wanted(issue, " ") || ` satisfy: ${issue.message}`}`,
        };
  });
}

/**
 * Picks the closest branch of a union: the right kind first, then fewest issues, then the earlier.
 */
function likeliest(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue];
  const closest = issue.errors.reduce((best, branch) => (distance(branch) < distance(best) ? branch : best));
  return closest.flatMap((inner) => likeliest({ ...inner, path: [...issue.path, ...inner.path] }));
}

const distance = (branch: readonly z.core.$ZodIssue[]): number =>
  branch.length + (branch.some(({ path }) => path.length === 0) ? 1_000 : 0);

/** The most problems of one document that are listed. */
export const maxProblems = 100;

/**
 * Keeps the first hundred problems and counts the rest, so that a hostile file cannot bloat a
 * report.
 */
export function capped(problems: readonly Problem[], more = 0): Problem[] {
  const left = problems.length - maxProblems + more;
  if (left <= 0) return [...problems];
  const message = `there are ${left} more problems`;
  return [...problems.slice(0, maxProblems), { path: "", code: "problems_omitted", message, fix: "fix these first" }];
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<PropertyKey, unknown>)[key];
  }
  return current;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  const isWritable = ["string", "number", "boolean"].includes(typeof value);
  const text = isWritable ? JSON.stringify(value) : typeof value === "bigint" ? `${value}` : `a ${typeof value}`;
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

const articled = (noun: string): string => (/^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`);

function wanted(issue: z.core.$ZodIssue, before = ", "): string {
  switch (issue.code) {
    case "invalid_type":
      return `${before}${articled(issue.expected)}`;
    case "invalid_value":
      return `${before}${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "invalid_format":
      return `${before}${issue.message.startsWith("Invalid") ? `a string like ${issue.pattern ?? issue.format}` : issue.message}`;
    case "too_small":
      return `${before}at least ${issue.minimum}`;
    case "too_big":
      return `${before}at most ${issue.maximum}`;
    default:
      return "";
  }
}
