import { closeSync, constants, fdatasyncSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { basename, join } from "node:path";
import { TroupeError } from "@troupe/protocol";
import { maxMessageBytes } from "@troupe/protocol/rules";
import type { RecordedEvent } from "../store.ts";
import { withFile } from "./document.ts";
import { assertOwnChain, makeOwn, type Own } from "./own-directory.ts";
import { watchDirectories } from "./watch.ts";

const newline = 0x0a;
const chunkBytes = 64 * 1024;

const fileIn = ({ directory }: Own): string => join(directory, "events.ndjson");

/**
 * Appends one event in one write. What a killed writer has left of a line ends where the next one
 * begins.
 */
export function recordEvent(place: Own, event: Omit<RecordedEvent, "id">, isDurable = false): void {
  const path = fileIn(place);
  const line = Buffer.from(`\n${JSON.stringify(event)}\n`);
  if (line.length > maxMessageBytes) {
    const message = `the event has ${line.length} bytes, more than ${maxMessageBytes}: record a file's path instead`;
    throw new TroupeError("message_too_large", message, { bytes: line.length });
  }
  makeOwn(place);
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

/** The events of a team, as `history` of a team gives them; an id is where its line ends. */
export function eventsIn(
  place: Own,
  after?: string,
  signal?: AbortSignal,
): AsyncIterableIterator<RecordedEvent, undefined> {
  const path = fileIn(place);
  const subjectOf = (fileName: string) => (fileName === basename(path) ? fileName : undefined);
  const changes = signal && watchDirectories([{ directory: place.directory, subjectOf }], signal);
  let isOver = false;

  async function* events(): AsyncGenerator<RecordedEvent, undefined> {
    assertOwnChain(place);
    let from = startBehind(path, after);
    do {
      for (let lines = linesFrom(path, from); lines.length > 0 && !isOver; lines = linesFrom(path, from)) {
        for (const { text, end } of lines) {
          from = end;
          const event = isOver ? undefined : parsed(text);
          if (event) yield { id: String(from), ...event };
        }
      }
    } while (!isOver && changes && !(await changes.next()).done);
  }

  // A generator's own way to return would wait for the next event.
  return Object.assign(events(), {
    async return() {
      isOver = true;
      await changes?.return?.();
      return { value: undefined, done: true } as const;
    },
  });
}

const endsLine = (file: number, size: number): boolean => {
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(file, last, 0, 1, size - 1) === 1 && last[0] === newline);
};

function startBehind(path: string, after: string | undefined): number {
  if (after === undefined) return 0;
  const at = /^[1-9][0-9]{0,14}$/.test(after) ? Number(after) : 0;
  if (at > 0 && withFile(path, (file, { size }) => size >= at && endsLine(file, at))) return at;
  const message = `there is no event ${JSON.stringify(after)} in this history: give an id that it gave, or none`;
  throw new TroupeError("arguments_invalid", message, { field: "after" });
}

/** The whole lines of the next piece of the file, and where each ends; none where there is none. */
const linesFrom = (path: string, from: number): { readonly text: string; readonly end: number }[] =>
  withFile(path, (file, { size }) => {
    for (let bytes = chunkBytes; ; bytes *= 2) {
      const chunk = Buffer.allocUnsafe(Math.max(0, Math.min(bytes, size - from)));
      const found = chunk.subarray(0, readSync(file, chunk, 0, chunk.length, from));
      const lines: { text: string; end: number }[] = [];
      let start = 0;
      for (let end = found.indexOf(newline); end >= 0; end = found.indexOf(newline, start)) {
        lines.push({ text: found.toString("utf8", start, end), end: from + end + 1 });
        start = end + 1;
      }
      if (lines.length > 0 || from + bytes >= size) return lines;
    }
  }) ?? [];

/** Undefined for what a killed writer has left, and for an empty line. */
function parsed(text: string): Omit<RecordedEvent, "id"> | undefined {
  try {
    const { at, by, event } = JSON.parse(text) as RecordedEvent;
    const isSound = typeof at === "string" && typeof by === "string" && typeof event === "object" && event !== null;
    return isSound ? { at, by, event } : undefined;
  } catch {
    return undefined;
  }
}
