import type { Printed, Span } from "../paint.ts";
import type { Dialog } from "./dialog.ts";
import { laidOut } from "./editor.ts";

/** A dialog as lines; with a cursor where words are typed. */
export interface DialogLines {
  readonly above: readonly Printed[];
  readonly words?: { readonly rows: readonly string[]; readonly row: number; readonly column: number } | undefined;
  readonly below: readonly Printed[];
}

export function dialogLines(dialog: Dialog, columns: number): DialogLines {
  const { about, choices, selected, words, marked, isMany = false, isArmed, dismissing } = dialog;
  const lines = choices.flatMap(({ label, note }, at): readonly Printed[] => {
    const isSelected = at === selected && isArmed;
    const sign: Span = isSelected ? { text: "› ", style: "cyan" } : "  ";
    const box = isMany ? (marked.includes(at) ? "[x] " : "[ ] ") : "";
    const text = `${at + 1}. ${box}${label}`;
    const title: Printed = { hang: 5, spans: [sign, isSelected ? { text, style: "cyan" } : text] };
    return note === undefined ? [title] : [title, { hang: 5, spans: ["     ", { text: note, style: "dim" }] }];
  });
  const keys = words
    ? "enter sends · esc back"
    : `enter answers · ${isMany ? "space marks · " : ""}${choices.length > 9 ? "" : `1-${choices.length} · `}esc ${dismissing}`;
  const hint: Printed = { hang: 2, spans: ["  ", { text: isArmed ? keys : "a moment…", style: "dim" }] };
  const above = [...about, "", ...lines, ...(words ? [] : [hint])];
  if (!words) return { above, below: [] };
  const laid = laidOut(words, Math.max(8, columns - 6));
  return {
    above,
    words: { ...laid, rows: laid.rows.map((row) => `   › ${row}`), column: laid.column + 5 },
    below: [hint],
  };
}
