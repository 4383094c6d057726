import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { encodingOf, maxTextBytes } from "../agent/text-file.ts";

/** The part of a file that is wanted. */
export interface Wanted {
  /** The number of the first line, counted from 1. */
  readonly first: number;
  readonly count: number;
  /** A line is cut after so many characters, and no further line is begun after so many in all. */
  readonly lineCharacters: number;
  readonly characters: number;
}

export interface Lines {
  readonly lines: readonly string[];
  /** How many the file has; undefined where it is too large to be read to its end. */
  readonly total: number | undefined;
  /** Of the whole file, where it was read whole. */
  readonly digest: string | undefined;
}

/**
 * Reads lines out of a file of any size, with lines of any length, in little memory. Closes the
 * file.
 */
export async function readLines(file: FileHandle, wanted: Wanted, signal: AbortSignal): Promise<Lines> {
  const lines: string[] = [];
  const hash = createHash("sha256");
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let line = "";
  let length = 0;
  let number = 1;
  let characters = 0;
  let bytes = 0;

  const isFull = () => lines.length >= wanted.count || characters >= wanted.characters;
  const endLine = () => {
    if (number >= wanted.first && !isFull()) {
      const isCut = length > wanted.lineCharacters;
      lines.push(isCut ? `${line.toWellFormed()}… [cut: the line has ${length} characters]` : line.replace(/\r$/, ""));
      characters += line.length;
    }
    number += 1;
    line = "";
    length = 0;
  };
  const take = (text: string) => {
    for (let from = 0; ; ) {
      const end = text.indexOf("\n", from);
      const to = end < 0 ? text.length : end;
      if (number >= wanted.first) line += text.slice(from, Math.min(to, from + wanted.lineCharacters - line.length));
      length += to - from;
      if (end < 0) return;
      endLine();
      from = end + 1;
    }
  };

  for await (const chunk of file.createReadStream({ signal }) as AsyncIterable<Buffer>) {
    decoder ??= new TextDecoder(encodingOf(chunk) === "utf16le" ? "utf-16le" : "utf-8");
    bytes += chunk.length;
    hash.update(chunk);
    take(decoder.decode(chunk, { stream: true }));
    if (bytes > maxTextBytes && isFull()) return { lines, total: undefined, digest: undefined };
  }
  take(decoder?.decode() ?? "");
  if (length > 0) endLine();
  return { lines, total: number - 1, digest: bytes > maxTextBytes ? undefined : hash.digest("base64") };
}
