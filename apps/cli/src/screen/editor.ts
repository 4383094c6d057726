import { charactersOf, printable, widthOf } from "../visible.ts";

/** Text of several lines that a person edits. */
export interface Editor {
  readonly text: string;
  /** Where the cursor stands, in units of the string. */
  readonly at: number;
}

export const emptyEditor: Editor = { text: "", at: 0 };
export const editorOf = (text: string): Editor => ({ text, at: text.length });

/** Puts text in at the cursor; of control characters only line breaks and tabs stay. */
export function insert({ text, at }: Editor, given: string): Editor {
  const clean = given.replaceAll(/\r\n?/g, "\n").replaceAll(/[\x00-\x08\x0b-\x1f\x7f]/g, "");
  return { text: text.slice(0, at) + clean + text.slice(at), at: at + clean.length };
}

/** What a key does to the text, by the name of the action. */
export const edits = {
  newline: (editor) => insert(editor, "\n"),
  left: ({ text, at }) => ({ text, at: at - lastOf(text.slice(0, at)).length }),
  right: ({ text, at }) => ({ text, at: at + firstOf(text.slice(at)).length }),
  wordLeft: ({ text, at }) => ({ text, at: at - wordBefore(text, at).length }),
  wordRight: ({ text, at }) => ({ text, at: at + wordAfter(text, at).length }),
  lineStart: ({ text, at }) => ({ text, at: startOfLine(text, at) }),
  lineEnd: ({ text, at }) => ({ text, at: endOfLine(text, at) }),
  backspace: ({ text, at }) => cut(text, at - lastOf(text.slice(0, at)).length, at),
  deleteNext: ({ text, at }) => cut(text, at, at + firstOf(text.slice(at)).length),
  deleteWord: ({ text, at }) => cut(text, at - wordBefore(text, at).length, at),
  deleteToStart: ({ text, at }) => cut(text, startOfLine(text, at), at),
  deleteToEnd: ({ text, at }) => cut(text, at, endOfLine(text, at)),
} satisfies Readonly<Record<string, (editor: Editor) => Editor>>;

export type Edit = keyof typeof edits;

const cut = (text: string, from: number, to: number): Editor => ({
  text: text.slice(0, from) + text.slice(to),
  at: from,
});
const lastOf = (text: string): string => charactersOf(text.slice(-64)).at(-1) ?? "";
const firstOf = (text: string): string => charactersOf(text.slice(0, 64))[0] ?? "";
const wordBefore = (text: string, at: number): string =>
  /(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_]+?)?\s*$/u.exec(text.slice(0, at))?.[0] ?? "";
const wordAfter = (text: string, at: number): string =>
  /^\s*(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?/u.exec(text.slice(at))?.[0] ?? "";
const startOfLine = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1;
function endOfLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/**
 * The cursor a line up or down; undefined where there is none, so that the key means something
 * else.
 */
export function vertically({ text, at }: Editor, step: -1 | 1): Editor | undefined {
  const start = startOfLine(text, at);
  const column = shownWidth(text.slice(start, at));
  if (step < 0 && start === 0) return undefined;
  const end = endOfLine(text, at);
  if (step > 0 && end === text.length) return undefined;
  const from = step < 0 ? startOfLine(text, start - 1) : end + 1;
  let [to, width] = [from, 0];
  for (const one of charactersOf(text.slice(from, endOfLine(text, from)))) {
    if (width + shownWidth(one) > column) break;
    width += shownWidth(one);
    to += one.length;
  }
  return { text, at: to };
}

const shown = (text: string): string => printable(text.replaceAll("\t", "  "));
const shownWidth = (text: string): number => widthOf(shown(text));

/** The text as it stands on the screen, and the place of the cursor. */
export interface Laid {
  readonly rows: readonly string[];
  readonly row: number;
  readonly column: number;
}

/** Breaks the text into rows of this width, between words where that can be. */
export function laidOut({ text, at }: Editor, width: number): Laid {
  const rows: string[] = [];
  let place = { row: 0, column: 0 };
  let offset = 0;
  for (const line of text.split("\n")) {
    let used = 0;
    for (const row of rowsOf(line, width)) {
      used = 0;
      for (const one of row) {
        if (offset === at) place = { row: rows.length, column: used };
        used += shownWidth(one);
        offset += one.length;
      }
      rows.push(row.map(shown).join(""));
    }
    const isFull = used >= width;
    if (offset === at && isFull) rows.push("");
    if (offset === at) place = { row: rows.length - 1, column: isFull ? 0 : used };
    offset += 1;
  }
  return { rows, ...place };
}

/** The characters of a line, row by row; one space may stand beyond the width of a row. */
function rowsOf(line: string, width: number): readonly (readonly string[])[] {
  let row: string[] = [];
  const rows = [row];
  let used = 0;
  for (const one of charactersOf(line)) {
    const wide = shownWidth(one);
    const isHanging = one === " " && used === width;
    while (used + wide > width && used > 0 && !isHanging) {
      row = one === " " ? [] : row.splice(row.lastIndexOf(" ") + 1 || row.length);
      rows.push(row);
      used = row.reduce((sum, character) => sum + shownWidth(character), 0);
    }
    row.push(one);
    used += wide;
  }
  return rows;
}
