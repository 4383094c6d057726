/** What a text may look like where colours are wanted. */
export type Style = keyof typeof styles;
/** A piece of text, plain or with a look. */
export type Span = string | { readonly text: string; readonly style: Style };
/** Rows of cells whose columns stand below one another. */
interface Table {
  readonly rows: readonly (readonly Span[])[];
}
/** Lines for programs, which are never wrapped. */
interface Verbatim {
  readonly verbatim: string;
}
/** A line, which is wrapped below where it begins, or many. */
export type Block = Span | readonly Span[] | Table | Verbatim;

/** Where text is shown. */
export interface Screen {
  /** Infinite where nobody looks. */
  readonly columns: number;
  readonly hasColor: boolean;
}

const styles = {
  bold: [1, 22],
  dim: [2, 22],
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

/** The one way to a terminal: whatever the spans say, it steers nothing, and only the styles given here colour it. */
export const paint = (blocks: readonly Block[], screen: Screen): string =>
  blocks
    .flatMap((block) => linesOf(block, screen.columns))
    .map((line) =>
      withoutEnd(line)
        .map((span) => colored(span, screen.hasColor))
        .join(""),
    )
    .join("\n");

/** Names and texts come from strangers: nothing of them may steer the terminal or break a line. */
export const printable = (text: string): string =>
  text.replace(/[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g, "\uFFFD");

/** `1 task`, `2 tasks`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** A text of many lines as lines of their own, so far to the right. */
export const paragraphs = (text: string, indent: string): Block[] =>
  text.split(/\r\n|\r|\n/).map((line) => `${indent}${line.replaceAll("\t", "  ")}`);

function colored(span: Span, hasColor: boolean): string {
  if (typeof span === "string" || !hasColor) return textOf(span);
  const [on, off] = styles[span.style];
  return `\x1b[${on}m${textOf(span)}\x1b[${off}m`;
}

const rawText = (span: Span): string => (typeof span === "string" ? span : span.text);
const textOf = (span: Span): string => printable(rawText(span));
const styleOf = (span: Span): Style | undefined => (typeof span === "string" ? undefined : span.style);
const isTable = (block: Block): block is Table => typeof block === "object" && "rows" in block;
const isVerbatim = (block: Block): block is Verbatim => typeof block === "object" && "verbatim" in block;
const isSpan = (block: Span | readonly Span[]): block is Span => !Array.isArray(block);

function linesOf(block: Block, columns: number): Span[][] {
  if (isTable(block)) return tableLines(block.rows, columns);
  if (isVerbatim(block)) return block.verbatim.split("\n").map((line) => [line]);
  const spans = isSpan(block) ? [block] : block;
  const indent = /^ */.exec(spans.map(textOf).join(""))?.[0].length ?? 0;
  return wrapped(spans, columns, indent);
}

/** As many lines as the width asks for; all but the first begin so far to the right. */
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
    for (const word of textOf(span).match(/ +|[^ ]+?\w-(?=\w)|[^ ]+/g) ?? []) {
      const width = widthOf(word);
      if (used + width <= room) put(word, span, width);
      else if (word.startsWith(" ")) breakLine();
      else {
        if (used > indent) breakLine();
        for (const char of word) {
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

/** Where the columns do not fit, the widest give way; where none can, each row runs on like a sentence. */
function tableLines(rows: Table["rows"], columns: number): Span[][] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) => Math.max(...rows.map((row) => spanWidth(row[column]))));
  const total = () => widths.reduce((sum, width) => sum + (width === 0 ? 0 : width + gap), 0);
  for (let most = Math.max(0, ...widths); total() > columns && most > narrowest; most = Math.max(...widths)) {
    widths[widths.lastIndexOf(most)] = most - 1;
  }
  if (total() > columns)
    return rows.flatMap((row) =>
      wrapped(
        row.flatMap((cell) => [" ".repeat(gap), cell]),
        columns,
        4,
      ),
    );
  return rows.flatMap((row) => {
    const cells = widths.map((width, column) => wrapped([row[column] ?? ""], width || 1, 0));
    const height = Math.max(...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, index) =>
      cells.flatMap((lines, column) => {
        const width = widths[column] ?? 0;
        if (width === 0) return [];
        const line = lines[index] ?? [];
        return [" ".repeat(gap), ...line, " ".repeat(Math.max(0, width - lineWidth(line)))];
      }),
    );
  });
}

const spanWidth = (span: Span | undefined): number => (span === undefined ? 0 : widthOf(textOf(span)));
const lineWidth = (line: readonly Span[]): number => line.reduce((sum, span) => sum + spanWidth(span), 0);

function withoutEnd(line: readonly Span[]): Span[] {
  const last = line.findLastIndex((span) => textOf(span).trimEnd() !== "");
  return line
    .slice(0, last + 1)
    .map((span, index) => (index === last && typeof span === "string" ? span.trimEnd() : span));
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

/** Columns on a terminal: wide characters take two. */
function widthOf(text: string): number {
  let columns = 0;
  for (const char of text) columns += wide.test(char) ? 2 : 1;
  return columns;
}
