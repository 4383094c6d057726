import type { z } from "zod";
import { type InboxEntry, InboxEntry as InboxEntrySchema } from "../inbox.ts";
import { type JsonInput, readJson } from "../json/read-json.ts";
import { capped, maxProblems, type Problem, problemsOf } from "../problems.ts";
import { longList, salvage } from "../salvage.ts";

/** A document as it was found and as far as it can be used. */
export interface Read<T> {
  /**
   * The sound part; undefined if the document is unusable. Identical to `raw` if nothing is wrong.
   */
  readonly value: T | undefined;
  /** Exactly what the text said: what a rewrite starts from. */
  readonly raw: unknown;
  readonly problems: readonly Problem[];
  /** False when a rewrite would lose something: report it, leave the file as it is. */
  readonly isWritable: boolean;
}

/** An inbox, element by element: a bad one hides no other. */
export interface InboxRead {
  /** Every element that is a message, oldest first, whether it was taken already or not. */
  readonly entries: readonly InboxEntry[];
  /** The index of each of them in `raw`. */
  readonly positions: readonly number[];
  /** Exactly what the text said; undefined when it is no array. */
  readonly raw: readonly unknown[] | undefined;
  readonly problems: readonly Problem[];
  readonly isWritable: boolean;
}

/** The schemas and checks to read one kind of document. */
export interface DocumentForm<T> {
  /** The form that a writer of the revision emits; it always satisfies the view. */
  readonly published: z.ZodType;
  /** The fields that any reader needs. */
  readonly view: z.ZodType<T>;
  /** Fields whose fault takes along what holds them. */
  readonly vital?: ReadonlySet<string>;
  /** Checks that no schema can express. */
  readonly inspect?: (value: T) => Problem[];
}

export function readDocument<T>(input: JsonInput, form: DocumentForm<T>): Read<T> {
  const { value: raw, problems, isWritable } = readJson(input);
  if (raw === undefined) return { value: undefined, raw, problems, isWritable };
  const tooLong = longList(raw);
  if (tooLong) return { value: undefined, raw, problems: [...problems, tooLong], isWritable };
  const { value, found } = judge(raw, form);
  return { value, raw, problems: capped([...problems, ...found]), isWritable };
}

/** Returns the usable part of a document, and all its problems. */
export function judge<T>(raw: unknown, form: DocumentForm<T>): { value: T | undefined; found: Problem[] } {
  const read = form.published.safeParse(raw);
  const value = read.success ? (raw as T) : salvage(form.view, raw, form.vital);
  const found = read.success ? [] : problemsOf(read.error, raw);
  return { value, found: value === undefined || !form.inspect ? found : [...found, ...form.inspect(value)] };
}

/** An entry with a fault in a field it can do without is delivered without that field. */
export function readEntries(input: JsonInput, published: z.ZodType): InboxRead {
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
  let omitted = 0;
  for (const [position, element] of raw.entries()) {
    const isEntry = hasThreeStrings(element);
    const read = isEntry || problems.length < maxProblems ? published.safeParse(element) : undefined;
    if (read?.error && problems.length < maxProblems) problems.push(...problemsOf(read.error, element, [position]));
    else if (!read?.success) omitted += 1;
    const entry = read?.success ? (element as InboxEntry) : isEntry ? salvage(InboxEntrySchema, element) : undefined;
    if (entry === undefined) continue;
    entries.push(entry);
    positions.push(position);
  }
  return { entries, positions, raw, problems: capped(problems, omitted), isWritable };
}

/**
 * Fields every message needs; checked first, so that millions of bad elements do not take hours.
 */
function hasThreeStrings(element: unknown): boolean {
  if (typeof element !== "object" || element === null) return false;
  const { from, text, timestamp } = element as Partial<Record<string, unknown>>;
  return typeof from === "string" && typeof text === "string" && typeof timestamp === "string";
}
