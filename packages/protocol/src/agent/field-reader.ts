import { isObject } from "../json/is-object.ts";
import { type ProblemCode, pointer } from "../problems.ts";
import type { AgentProblem, Position } from "./agent-problem.ts";
import { withLineBreaks } from "./repaired-yaml.ts";

/** Fields as some document holds them, and where. JSON has no `source` and no places. */
export interface FieldSource {
  readonly fields: Readonly<Record<string, unknown>>;
  place?(path: readonly PropertyKey[]): Position | undefined;
  source?(path: readonly PropertyKey[]): string | undefined;
  isPlain?(path: readonly PropertyKey[]): boolean;
  comment?(path: readonly PropertyKey[]): string | undefined;
}

/** Reads single fields, tolerantly; what it cannot use it reports and leaves out. */
export interface FieldReader {
  /** The fields as the document holds them. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly problems: AgentProblem[];
  report(path: readonly PropertyKey[], message: string, fix: string, code?: ProblemCode): void;
  /** The text of a value as it was written; undefined where the document keeps none. */
  source(path: readonly PropertyKey[]): string | undefined;
  /** Undefined for a field that is absent or empty; the latter is reported. */
  value(key: string): unknown;
  /** A text. `isProse` takes a structure as the text it was written as: a colon made it one. */
  text(key: string, isProse?: boolean): string | undefined;
  /** A list of texts; one text with commas counts as a list. */
  list(key: string): string[] | undefined;
  choice<T extends string>(key: string, values: readonly T[]): T | undefined;
  flag(key: string): boolean | undefined;
  /** A whole number from 1. */
  count(key: string): number | undefined;
}

/** `at` is where the fields stand in a larger document. */
export function createFieldReader(source: FieldSource, at: readonly PropertyKey[] = []): FieldReader {
  const { fields } = source;
  const problems: AgentProblem[] = [];

  const report: FieldReader["report"] = (path, message, fix, code = "field_invalid") => {
    problems.push({ path: pointer([...at, ...path]), code, message, fix, ...source.place?.(path) });
  };

  const value = (key: string): unknown => {
    const found = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (found === undefined) return undefined;
    const isEmpty = found === null || (typeof found === "string" && found.trim() === "");
    if (!isEmpty) return found;
    const fix = required.has(key) ? `give ${key} a value` : `give ${key} a value, or remove the line`;
    report([key], `${key} is empty and counts as absent`, fix, "field_missing");
    return undefined;
  };

  const scalar = (path: readonly PropertyKey[], found: unknown): string | undefined => {
    if (typeof found === "string") return found.trim();
    if (typeof found === "number" || typeof found === "boolean") return source.source?.(path) ?? String(found);
    return undefined;
  };

  const reader: FieldReader = {
    fields,
    problems,
    report,
    source: (path) => source.source?.(path),
    value,
    text(key, isProse = false) {
      const found = value(key);
      if (found === undefined) return undefined;
      const text = scalar([key], found);
      if (text !== undefined && isProse && source.isPlain?.([key])) {
        const comment = source.comment?.([key]);
        if (comment && /^\S/.test(comment)) {
          report(
            [key],
            `${key} ends before "#${comment}", which YAML takes for a comment`,
            "put the text in double quotes",
          );
        }
        return withLineBreaks(text).trim();
      }
      if (text !== undefined) return text;
      const written = isProse ? source.source?.([key])?.replace(/\n[ \t]+/g, "\n") : undefined;
      const message = `${key} is ${kindOf(found)}, not text`;
      if (written === undefined) report([key], message, `write ${key} as one text, in double quotes`);
      else
        report(
          [key],
          `${message}; it is taken as it is written`,
          `put the text in double quotes, or below "${key}: |"`,
        );
      return written;
    },
    list(key) {
      const found = value(key);
      if (found === undefined) return undefined;
      if (isObject(found)) {
        report([key], `${key} is a map, not a list`, `write ${key} as a list of names`);
        return undefined;
      }
      const items: unknown[] = Array.isArray(found) ? found : String(scalar([key], found)).split(",");
      return items.flatMap((item, index) => {
        const text = scalar([key, index], item);
        if (text) return [text];
        if (text === undefined)
          report([key, index], `${key} holds ${kindOf(item)}, not a name`, "write a name, or remove it");
        return [];
      });
    },
    choice(key, values) {
      const found = value(key);
      if (found === undefined) return undefined;
      const chosen = values.find((one) => one === scalar([key], found));
      if (chosen === undefined) {
        report(
          [key],
          `${key} is ${quoted(found)}, which is not used`,
          `write one of ${values.join(", ")}, or remove the line`,
        );
      }
      return chosen;
    },
    flag(key) {
      const found = value(key);
      if (found === undefined || typeof found === "boolean") return found;
      const text = scalar([key], found)?.toLowerCase();
      const flag =
        ["true", "yes", "on"].includes(text ?? "") || (["false", "no", "off"].includes(text ?? "") ? false : undefined);
      report(
        [key],
        `${key} is ${quoted(found)}, ${flag === undefined ? "which is not used" : `taken as ${flag}`}`,
        `write ${key}: true or ${key}: false`,
      );
      return flag;
    },
    count(key) {
      const found = value(key);
      if (found === undefined) return undefined;
      const count = typeof found === "string" && /^\d{1,15}$/.test(found) ? Number(found) : found;
      if (typeof count === "number" && Number.isSafeInteger(count) && count > 0) return count;
      report([key], `${key} is ${quoted(found)}, which is not used`, "write a whole number from 1, or remove the line");
      return undefined;
    },
  };
  return reader;
}

const required: ReadonlySet<string> = new Set(["name", "description"]);

/** A value in a message, kept short. */
export function quoted(value: unknown): string {
  if (typeof value === "object") return kindOf(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Describes the type of a value in a message. */
export function kindOf(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a map" : `a ${typeof value}`;
}
