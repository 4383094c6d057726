import { charactersOf, isPlain, measured, printable, widthOf } from "./visible.ts";

/** The styles of a text. */
export type Style = keyof typeof styles;
/** A piece of text, plain or styled. */
export type Span = string | { readonly text: string; readonly style: Style };
/** A table of aligned columns. */
interface Table {
  readonly rows: readonly (readonly Span[])[];
}
/** Lines for programs, which are never wrapped. */
interface Verbatim {
  readonly verbatim: string;
}
/** A line whose further lines begin at a column of their own. */
interface Hanging {
  readonly spans: readonly Span[];
  readonly hang: number;
}
/** A line, which is wrapped with its own indentation, or a table, or verbatim text. */
export type Printed = Span | readonly Span[] | Hanging | Table | Verbatim;

/** The width and colours of an output. */
export interface Screen {
  /** Infinite if the output is not a terminal. */
  readonly columns: number;
  readonly hasColor: boolean;
}

const styles = {
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  inverse: [7, 27],
  added: ["32;7", "39;27"],
  removed: ["31;7", "39;27"],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  purple: [35, 39],
  cyan: [36, 39],
  orange: [33, 39],
  pink: [95, 39],
} as const;

export const isStyle = (name: string | undefined): name is Style => name !== undefined && Object.hasOwn(styles, name);

/** Renders blocks; control characters in a span have no effect, only its style colours it. */
export const paint = (blocks: Iterable<Printed>, screen: Screen): string => [...paintedPieces(blocks, screen)].join("");

/** The letters from which on a piece of an output is whole. */
const pieceLength = 64 * 1024;

/** The same in pieces, of which none holds what comes behind it. */
export function* paintedPieces(blocks: Iterable<Printed>, screen: Screen): Generator<string> {
  let lines: string[] = [];
  let length = 0;
  let before = "";
  for (const block of blocks) {
    for (const line of plainLine(block, screen) ?? paintedLines(block, screen)) {
      if (length > pieceLength) {
        yield `${before}${lines.join("\n")}`;
        [lines, length, before] = [[], 0, "\n"];
      }
      lines.push(line);
      length += line.length;
    }
  }
  if (lines.length > 0) yield `${before}${lines.join("\n")}`;
}

/** A line that is printed as it is, nearly every one; undefined where only its spans can tell. */
function plainLine(block: Printed, { columns, hasColor }: Screen): readonly [string] | undefined {
  if (isTable(block) || isVerbatim(block) || isHanging(block)) return undefined;
  const spans = isSpan(block) ? [block] : block;
  if (hasColor && spans.some((span) => styleOf(span) !== undefined)) return undefined;
  const text = spans.length === 1 ? rawText(spans[0] as Span) : spans.map(rawText).join("");
  return text.length <= columns && !text.endsWith(" ") && isPlain(text) ? [text] : undefined;
}

const paintedLines = (block: Printed, screen: Screen): string[] =>
  linesOf(block, screen.columns).map((line) => paintedLine(line, screen));

const paintedLine = (line: readonly Span[], { hasColor }: Screen): string =>
  withoutEnd(line)
    .map((span) => colored(span, hasColor))
    .join("");

/** `1 task`, `2 tasks`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Splits a text into lines with this indentation. */
export const paragraphs = (text: string, indent: string): Printed[] =>
  !text.includes("\n") && !text.includes("\r") && !text.includes("\t")
    ? [`${indent}${text}`]
    : text.split(/\r\n|\r|\n/).map((line) => `${indent}${line.replaceAll("\t", "  ")}`);

function colored(span: Span, hasColor: boolean): string {
  if (typeof span === "string" || !hasColor) return rawText(span);
  const [on, off] = styles[span.style];
  return `\x1b[${on}m${rawText(span)}\x1b[${off}m`;
}

const rawText = (span: Span): string => (typeof span === "string" ? span : span.text);
const styleOf = (span: Span): Style | undefined => (typeof span === "string" ? undefined : span.style);
const isTable = (block: Printed): block is Table => typeof block === "object" && "rows" in block;
const isVerbatim = (block: Printed): block is Verbatim => typeof block === "object" && "verbatim" in block;
const isHanging = (block: Printed): block is Hanging => typeof block === "object" && "hang" in block;
const isSpan = (block: Span | readonly Span[]): block is Span => !Array.isArray(block);

/** Lines whose texts are printable. */
function linesOf(block: Printed, columns: number): Span[][] {
  if (isTable(block)) return tableLines(block.rows, columns);
  if (isVerbatim(block)) return block.verbatim.split("\n").map((line) => [printable(line)]);
  if (isHanging(block)) return wrapped(block.spans, columns, block.hang);
  const spans = isSpan(block) ? [block] : block;
  const indent = /^ */.exec(spans.map(rawText).join(""))?.[0].length ?? 0;
  return wrapped(spans, columns, indent);
}

/**
 * The pieces between which a line may be broken. A word of letters may be, behind its hyphens; a
 * path, an id or an option is to be copied whole.
 */
const wordsIn = (text: string): readonly string[] =>
  (text.match(/ +|[^ ]+/g) ?? []).flatMap((word) =>
    /^\p{L}+(?:-\p{L}+)+\p{P}*$/u.test(word) ? (word.match(/[^-]+-?/g) ?? []) : [word],
  );

/** Wraps a line to the width; all lines but the first are indented. */
function wrapped(spans: readonly Span[], columns: number, indent: number): Span[][] {
  const room = Math.max(columns, indent + 8);
  const lines: Span[][] = [[]];
  let used = 0;
  const put = (text: string, like: Span, width: number) => {
    const line = lines.at(-1) ?? [];
    const last = line.at(-1);
    const isSame = last !== undefined && styleOf(last) === styleOf(like);
    if (isSame) line.pop();
    const whole = isSame ? `${rawText(last)}${text}` : text;
    line.push(typeof like === "string" ? whole : { ...like, text: whole });
    used += width;
  };
  const breakLine = () => {
    lines.push([" ".repeat(indent)]);
    used = indent;
  };
  for (const span of spans) {
    const { text, width: all } = measured(rawText(span));
    // What fits whole is not taken apart: nearly everything, in an output that is no terminal.
    if (used + all <= room) {
      put(text, span, all);
      continue;
    }
    for (const word of wordsIn(text)) {
      const width = widthOf(word);
      if (used + width <= room) put(word, span, width);
      else if (word.startsWith(" ")) breakLine();
      else {
        if (used > indent) breakLine();
        for (const char of charactersOf(word)) {
          if (used + widthOf(char) > room) breakLine();
          put(char, span, widthOf(char));
        }
      }
    }
  }
  return lines;
}

const gap = 2;
const narrowest = 8;

/**
 * Fits the columns to the width by shrinking the widest; below a minimum each row becomes a
 * sentence.
 */
function tableLines(rows: Table["rows"], columns: number): Span[][] {
  // A call takes a hundred thousand arguments at the most, and a table may have more rows.
  const widths: number[] = [];
  const cells = rows.map((row) =>
    row.map((span, column) => {
      const { text, width } = measured(rawText(span));
      widths[column] = Math.max(widths[column] ?? 0, width);
      return { span: typeof span === "string" ? text : { ...span, text }, width };
    }),
  );
  const total = () => widths.reduce((sum, width) => sum + (width === 0 ? 0 : width + gap), 0);
  for (let widest = Math.max(0, ...widths); total() > columns && widest > narrowest; widest = Math.max(...widths)) {
    widths[widths.lastIndexOf(widest)] = widest - 1;
  }
  if (total() > columns)
    return rows.flatMap((row) =>
      wrapped(
        row.flatMap((cell) => [" ".repeat(gap), cell]),
        columns,
        4,
      ),
    );
  return cells.flatMap((row) =>
    row.every(({ width }, column) => width <= (widths[column] ?? 0)) ? [rowLine(row, widths)] : rowLines(row, widths),
  );
}

interface Cell {
  readonly span: Span;
  readonly width: number;
}

/** A row whose cells all fit; texts without a style become one. */
function rowLine(row: readonly Cell[], widths: readonly number[]): Span[] {
  const line: Span[] = [];
  let plain = "";
  widths.forEach((room, column) => {
    if (room === 0) return;
    const { span, width } = row[column] ?? { span: "", width: 0 };
    plain += " ".repeat(gap);
    if (typeof span === "string") plain += span;
    else {
      line.push(plain, span);
      plain = "";
    }
    plain += " ".repeat(room - width);
  });
  return [...line, plain];
}

/** A row with cells of more than one line. */
function rowLines(row: readonly Cell[], widths: readonly number[]): Span[][] {
  const cells = widths.map((width, column) => wrapped([row[column]?.span ?? ""], width || 1, 0));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, index) =>
    cells.flatMap((lines, column) => {
      const width = widths[column] ?? 0;
      if (width === 0) return [];
      const line = lines[index] ?? [];
      return [" ".repeat(gap), ...line, " ".repeat(Math.max(0, width - lineWidth(line)))];
    }),
  );
}

const lineWidth = (line: readonly Span[]): number => line.reduce((sum, span) => sum + widthOf(rawText(span)), 0);

function withoutEnd(line: readonly Span[]): Span[] {
  const last = line.findLastIndex((span) => rawText(span).trimEnd() !== "");
  return line
    .slice(0, last + 1)
    .map((span, index) => (index === last && typeof span === "string" ? span.trimEnd() : span));
}
