import { readSync } from "node:fs";
import { setImmediate as yieldOnce } from "node:timers/promises";
import { TroupeError } from "@troupe/protocol";
import type { RecordedEvent } from "../store.ts";
import { withFile } from "./document.ts";
import { endsLine, newline, pieceIn, pieceOf, piecesOf } from "./events.ts";
import { assertOwnChain, type Own } from "./own-directory.ts";
import { watchDirectories } from "./watch.ts";

const chunkBytes = 64 * 1024;

/**
 * A place in the events of a team: what has been read of a piece, and of the one before it, to
 * which a writer that found it not yet full may still append.
 */
interface Position {
  readonly piece: number;
  readonly end: number;
  readonly endBefore: number;
}

/** The events of a team, as `history` of a team gives them; an id is a position behind one. */
export function eventsIn(
  place: Own,
  after?: string,
  signal?: AbortSignal,
): AsyncIterableIterator<RecordedEvent, undefined> {
  const subjectOf = (fileName: string) => (pieceOf(fileName) === undefined ? undefined : fileName);
  const changes = signal && watchDirectories([{ directory: place.directory, subjectOf }], signal);
  let isOver = false;

  async function* events(): AsyncGenerator<RecordedEvent, undefined> {
    assertOwnChain(place);
    let position = after === undefined ? undefined : positionOf(place, after);
    do {
      position ??= beginning(place);
      for (let next = stepFrom(place, position); next && !isOver; next = stepFrom(place, position)) {
        for (const line of next) {
          position = line.position;
          const event = isOver || line.text === undefined ? undefined : parsed(line.text);
          if (event) yield { id: idOf(position), ...event };
        }
        // A long history is read without stopping the thread for long.
        if (next.length > 1) await yieldOnce();
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

const idOf = ({ piece, end, endBefore }: Position): string => `${piece}.${end}.${endBefore}`;

function beginning(place: Own): Position | undefined {
  const [piece] = piecesOf(place);
  return piece === undefined ? undefined : { piece, end: 0, endBefore: 0 };
}

function positionOf(place: Own, id: string): Position {
  const found = /^([1-9][0-9]{0,9})\.(0|[1-9][0-9]{0,14})\.(0|[1-9][0-9]{0,14})$/.exec(id)?.slice(1).map(Number);
  const [piece = 0, end = 0, endBefore = 0] = found ?? [];
  if (withFile(pieceIn(place, piece), (file, { size }) => size >= end && endsLine(file, end)) && found)
    return { piece, end, endBefore };
  const message = `there is no event ${JSON.stringify(id)} in this history: give an id that it gave, or none`;
  throw new TroupeError("arguments_invalid", message, { field: "after" });
}

interface Line {
  /** Undefined for a step that gives no line. */
  readonly text?: string;
  readonly position: Position;
}

/** The next lines, or the step to the next piece; undefined where there is nothing more yet. */
function stepFrom(place: Own, position: Position | undefined): readonly Line[] | undefined {
  if (!position) return undefined;
  const { piece, end, endBefore } = position;
  const late = piece > 1 ? linesFrom(pieceIn(place, piece - 1), endBefore) : [];
  if (late.length > 0) return late.map((line) => ({ text: line.text, position: { ...position, endBefore: line.end } }));
  // Looked for first: what is appended to this piece once there is a next one counts as late.
  const next = piecesOf(place).find((n) => n > piece);
  const lines = linesFrom(pieceIn(place, piece), end);
  if (lines.length > 0) return lines.map((line) => ({ text: line.text, position: { ...position, end: line.end } }));
  return next === undefined
    ? undefined
    : [{ position: { piece: next, end: 0, endBefore: next === piece + 1 ? end : 0 } }];
}

/** The whole lines of the next part of a file, and where each ends; none where there is none. */
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

const isTime = (at: unknown): boolean => typeof at === "string" && !Number.isNaN(Date.parse(at));

/** Undefined for what a killed or foreign writer has left, and for an empty line. */
function parsed(text: string): Omit<RecordedEvent, "id"> | undefined {
  try {
    const { at, by, event } = JSON.parse(text) as RecordedEvent;
    const isSound = isTime(at) && typeof by === "string" && typeof event === "object" && event !== null;
    return isSound ? { at, by, event } : undefined;
  } catch {
    return undefined;
  }
}
