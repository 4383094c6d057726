import { widthOf } from "../visible.ts";

/** Lines below the finished ones, which are drawn anew as they change, and the cursor in them. */
export interface Tail {
  readonly lines: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

export const noTail: Tail = { lines: [""], cursor: { row: 0, column: 0 } };

const begin = "\x1b[?2026h\x1b[?25l";
const end = "\x1b[?25h\x1b[?2026l";
const escapes = /\x1b\[[\d;]*m/g;

/**
 * What a terminal that shows one tail is sent to show another: finished lines go above it for good,
 * and of the tail only what changed is written. One write, so that nothing flickers.
 */
export function frame(before: Tail, after: Tail, finished: readonly string[]): string {
  const isWhole = finished.length > 0 || before.lines.length === 0;
  const body = isWhole ? rewritten(before, after, finished) : changed(before, after);
  return body === "" ? "" : `${begin}${body}${end}`;
}

function rewritten(before: Tail, after: Tail, finished: readonly string[]): string {
  // A line is cleared before it is written: what is cleared behind it tmux counts as a part of it
  // when it is made narrower, and a screen that is cleared from its first place on it keeps.
  const lines = [...finished, ...after.lines].map((line) => `\x1b[2K${line}`).join("\r\n");
  return `${upBy(before.cursor.row)}\r${lines}\x1b[J${placed(after.lines.length - 1, after.cursor)}`;
}

function changed(before: Tail, after: Tail): string {
  const { cursor } = after;
  let row = before.cursor.row;
  let text = "";
  for (const [at, line] of after.lines.entries()) {
    const old = before.lines[at];
    if (line === old) continue;
    const isNew = at >= before.lines.length;
    text += isNew ? `${moved(row, at - 1)}\r\n` : `${moved(row, at)}\r`;
    const isLonger = old !== undefined && old !== "" && line.startsWith(old);
    text += isLonger ? `${rightBy(width(old))}${line.slice(old.length)}` : `${isNew ? "" : "\x1b[2K"}${line}`;
    row = at;
  }
  if (after.lines.length < before.lines.length) {
    text += `${moved(row, after.lines.length)}\r\x1b[J`;
    row = after.lines.length;
  }
  const isMoved = cursor.row !== before.cursor.row || cursor.column !== before.cursor.column;
  return text === "" && !isMoved ? "" : text + placed(row, cursor);
}

const width = (line: string): number => widthOf(line.replaceAll(escapes, ""));
const upBy = (rows: number): string => (rows > 0 ? `\x1b[${rows}A` : "");
const rightBy = (columns: number): string => (columns > 0 ? `\x1b[${columns}C` : "");
const moved = (from: number, to: number): string => (to > from ? `\x1b[${to - from}B` : upBy(from - to));
const placed = (row: number, to: Tail["cursor"]): string => `${moved(row, to.row)}\r${rightBy(to.column)}`;

/**
 * The tail after the terminal was made narrower or wider: lines that no longer fit were broken by
 * it, so the cursor stands further down.
 */
export function resized({ lines, cursor }: Tail, columns: number): Tail {
  const rowsOf = (line: string) => Math.max(1, Math.ceil(width(line) / columns));
  const above = lines.slice(0, cursor.row).reduce((sum, line) => sum + rowsOf(line), 0);
  const row = above + Math.floor(cursor.column / columns);
  return { lines: [], cursor: { row, column: cursor.column % columns } };
}

/** A whole screen, of which the rows that changed are written. */
export function wholeFrame(before: readonly string[], after: readonly string[], cursor: Tail["cursor"]): string {
  const rows = after.flatMap((line, at) => (line === before[at] ? [] : [`\x1b[${at + 1};1H${line}\x1b[K`]));
  return `${begin}${rows.join("")}\x1b[${cursor.row + 1};${cursor.column + 1}H${end}`;
}
