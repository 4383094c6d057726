import { counted, type Printed, type Span } from "../paint.ts";
import type { Dialog } from "./dialog.ts";
import { laidOut } from "./editor.ts";
import type { Tail } from "./frame.ts";
import type { Painter } from "./painter.ts";

/**
 * A question with its choices, in so many rows: its choices always, of what it is about the
 * beginning.
 */
export function dialogTail(dialog: Dialog, painter: Painter, columns: number, rows: number): Tail {
  const { choices, selected, words, isArmed } = dialog;
  const pointer = painter.look.isSpoken ? ">" : "›";
  const painted = choices.map((_, at) => painter.lines(choiceLines(dialog, at, pointer), columns));
  const hint = painter.lines(
    [{ hang: 2, spans: ["  ", { text: isArmed ? keysOf(dialog) : "a moment…", style: "dim" }] }],
    columns,
  );
  const laid = words && laidOut(words, Math.max(8, columns - 6));
  const typed = (laid?.rows ?? []).map((row, at) => `   ${at === 0 ? pointer : " "} ${row}`);
  const below = [...painted.flat(), ...typed, ...hint];
  const about = shownAbout(dialog, painter, columns, Math.max(1, rows - below.length - 1));
  const above = [...about, ""];
  const cursor = laid
    ? { row: above.length + painted.flat().length + laid.row, column: laid.column + 5 }
    : { row: above.length + painted.slice(0, selected).flat().length, column: 0 };
  return { lines: [...above, ...below], cursor };
}

function shownAbout({ about }: Dialog, painter: Painter, columns: number, room: number): readonly string[] {
  const lines = painter.kept(about, columns);
  if (lines.length <= room) return lines;
  const more = `    … ${counted(lines.length - room + 1, "more line")}: ctrl+o shows all`;
  return [...lines.slice(0, room - 1), ...painter.lines([{ text: more, style: "yellow" }], columns)];
}

function choiceLines(dialog: Dialog, at: number, pointer: string): readonly Printed[] {
  const { choices, selected, marked, isMany = false, isArmed } = dialog;
  const { label = "", note } = choices[at] ?? {};
  const isSelected = at === selected && isArmed;
  const sign: Span = isSelected ? { text: `${pointer} `, style: "cyan" } : "  ";
  const box = isMany ? (marked.includes(at) ? "[x] " : "[ ] ") : "";
  const text = `${at + 1}. ${box}${label}`;
  const title: Printed = { hang: 5, spans: [sign, isSelected ? { text, style: "cyan" } : text] };
  return note === undefined ? [title] : [title, { hang: 5, spans: ["     ", { text: note, style: "dim" }] }];
}

function keysOf({ words, isMany = false, choices, dismissing }: Dialog): string {
  if (words) return "enter sends · esc back";
  const numbers = choices.length > 9 ? "" : `${choices.length === 1 ? "1" : `1-${choices.length}`} · `;
  return `enter answers · ${isMany ? "space marks · " : ""}${numbers}esc ${dismissing}`;
}
