import { closeSync, constants, fdatasyncSync, fstatSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { TroupeError } from "@troupe/protocol";
import { maxMessageBytes } from "@troupe/protocol/rules";
import type { RecordedEvent } from "../store.ts";
import { attempt, lookAt, namesIn } from "./directory.ts";
import { makeOwn, type Own } from "./own-directory.ts";

// The events of a team stand in pieces, `events-1.ndjson` and so on. A piece that is full is
// followed by the next one, and the oldest of too many goes.

/** A piece as large as this is full. */
const fullBytes = 2 * 1024 * 1024;
const maxPieces = 8;
export const newline = 0x0a;

export const pieceIn = ({ directory }: Own, n: number): string => join(directory, `events-${n}.ndjson`);

/** The number of a piece, where the name is of one. */
export const pieceOf = (fileName: string): number | undefined => {
  const digits = /^events-([1-9][0-9]{0,8})\.ndjson$/.exec(fileName)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

/**
 * The numbers of the pieces that are there, in order. They follow each other: a file that stands
 * apart from the longest row of them is no piece, whatever its name says.
 */
export function piecesOf({ directory }: Own): number[] {
  const rows: number[][] = [];
  for (const n of namesIn(directory)
    .flatMap((name) => pieceOf(name) ?? [])
    .sort((a, b) => a - b)) {
    const row = rows.at(-1);
    if (row?.at(-1) === n - 1) row.push(n);
    else rows.push([n]);
  }
  return rows.reduce((longest, row) => (row.length > longest.length ? row : longest), []);
}

/**
 * Appends one event in one write. What a killed writer has left of a line ends where the next one
 * begins.
 */
export function recordEvent(place: Own, event: Omit<RecordedEvent, "id">, isDurable = false): void {
  const line = Buffer.from(`\n${JSON.stringify(event)}\n`);
  if (line.length > maxMessageBytes) {
    const message = `the event has ${line.length} bytes, more than ${maxMessageBytes}: record a file's path instead`;
    throw new TroupeError("message_too_large", message, { bytes: line.length });
  }
  makeOwn(place);
  const path = pieceIn(place, pieceToFill(place));
  let file: number | undefined;
  try {
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants;
    file = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error("it is no regular file");
    // A line too many is skipped; one that runs into the rest of another would be lost.
    const bytes = endsLine(file, stats.size) ? line.subarray(1) : line;
    if (writeSync(file, bytes) < bytes.length) throw new Error("it was written in part");
    if (isDurable) fdatasyncSync(file);
  } catch (error) {
    const message = `${path} cannot be written: ${(error as Error).message}`;
    throw new TroupeError("document_unwritable", message, { path }, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The newest piece, or the one behind it where that is full; then the oldest of too many goes. */
function pieceToFill(place: Own): number {
  const newest = piecesOf(place).at(-1) ?? 1;
  if ((lookAt(pieceIn(place, newest))?.size ?? 0) < fullBytes) return newest;
  for (const n of piecesOf(place)) {
    if (n <= newest + 1 - maxPieces) attempt(() => rmSync(pieceIn(place, n)));
  }
  return newest + 1;
}

/** True where a line ends at this place of the file, and at its beginning. */
export const endsLine = (file: number, at: number): boolean => {
  const last = Buffer.alloc(1);
  return at === 0 || (readSync(file, last, 0, 1, at - 1) === 1 && last[0] === newline);
};
