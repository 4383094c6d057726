import type { Item } from "./script.ts";

/** Where a reading stands. It is one object that all its parts move forward. */
export interface Reader {
  readonly source: string;
  at: number;
  /** How deep what is read stands in other texts, in parentheses and in braces. */
  level: number;
  readonly items: Item[];
  readonly doubts: Set<string>;
  isBroken: boolean;
  /** Reads a text that stands in this one: backticks, or what a here-document puts in. */
  readonly readInner: (text: string, isText: boolean) => void;
  /** Reads commands up to the parenthesis that closes them. */
  readonly readNested: () => void;
}

const deepest = 40;

/** One level deeper; at the bottom the rest of the text is not read. */
export function deeper(reader: Reader, read: () => void): void {
  reader.level += 1;
  if (reader.level > deepest) {
    broken(reader, "it is nested too deeply");
    reader.at = reader.source.length;
  } else read();
  reader.level -= 1;
}

/** The text cannot be cut with certainty. */
export function broken(reader: Reader, why: string): void {
  reader.doubts.add(why);
  reader.isBroken = true;
}

/** In arithmetic the shell expands what stands in single quotes, and where it ends is not sure. */
export function sums(reader: Reader, from: number): void {
  reader.doubts.add("arithmetic is not followed");
  if (/['"\\]/.test(reader.source.slice(from, reader.at))) broken(reader, "arithmetic has quotes in it");
}

/** The match of a sticky pattern here. */
export function match({ source, at }: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}
