import type { z } from "zod";
import { type InboxEntry, InboxEntry as InboxEntrySchema } from "../inbox.ts";
import { readJson } from "../json/read-json.ts";
import { type Problem, problemsOf } from "../problems.ts";
import { salvage } from "../salvage.ts";

/** A document as it was found and as far as it can be used. */
export interface Read<T> {
  /** What is sound; undefined when the document cannot be used at all. The very same object as `raw` when nothing is wrong. */
  readonly value: T | undefined;
  /** Exactly what the text said: what a rewrite starts from. */
  readonly raw: unknown;
  readonly problems: readonly Problem[];
  /** False when a rewrite would lose something: report it, leave the file as it is. */
  readonly isWritable: boolean;
}

/** An inbox, element by element: a bad one hides no other. */
export interface InboxRead {
  /** What can be delivered, oldest first. */
  readonly entries: readonly InboxEntry[];
  /** Where in `raw` each of them stands. */
  readonly positions: readonly number[];
  /** Exactly what the text said; undefined when it is no array. */
  readonly raw: readonly unknown[] | undefined;
  readonly problems: readonly Problem[];
  readonly isWritable: boolean;
}

/** `published` is the form of the revision, `view` what any reader needs; `inspect` looks at what no schema can say. */
export function readDocument<T>(
  input: string | Uint8Array,
  published: z.ZodType,
  view: z.ZodType<T>,
  inspect: (value: T) => Problem[] = () => [],
): Read<T> {
  const { value: raw, problems, isWritable } = readJson(input);
  if (raw === undefined) return { value: undefined, raw, problems, isWritable };
  const read = published.safeParse(raw);
  const value = read.success ? (raw as T) : salvage(view, raw);
  return {
    value,
    raw,
    problems: [
      ...problems,
      ...(read.success ? [] : problemsOf(read.error, raw)),
      ...(value === undefined ? [] : inspect(value)),
    ],
    isWritable,
  };
}

/** An entry with a fault in a field it can do without is delivered without that field. */
export function readEntries(input: string | Uint8Array, published: z.ZodType): InboxRead {
  const { value: raw, problems: found, isWritable } = readJson(input);
  const problems = [...found];
  const entries: InboxEntry[] = [];
  const positions: number[] = [];
  if (!Array.isArray(raw)) {
    if (raw !== undefined) {
      const message = "an inbox is an array of messages";
      problems.push({ path: "", code: "field_invalid", message, fix: "keep a copy, then write [] in its place" });
    }
    return { entries, positions, raw: undefined, problems, isWritable: false };
  }
  for (const [position, element] of raw.entries()) {
    const read = published.safeParse(element);
    const entry = read.success ? (element as InboxEntry) : salvage(InboxEntrySchema, element);
    if (!read.success) for (const problem of problemsOf(read.error, element, [position])) problems.push(problem);
    if (entry === undefined) continue;
    entries.push(entry);
    positions.push(position);
  }
  return { entries, positions, raw, problems, isWritable };
}
