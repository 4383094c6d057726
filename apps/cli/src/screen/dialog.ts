import type { Printed } from "../paint.ts";
import { type Editor, emptyEditor } from "./editor.ts";

/** One of the answers to choose from. */
export interface Choice {
  readonly label: string;
  /** What it means, in a dimmer line below. */
  readonly note?: string | undefined;
  /** Words of the person's own belong to it; they may be empty only where this says so. */
  readonly takes?: "words" | "any words" | undefined;
}

/** Something that a person decides on the screen. */
export interface Question {
  readonly about: readonly Printed[];
  readonly choices: readonly Choice[];
  /** More than one may be chosen. */
  readonly isMany?: boolean | undefined;
  /** What Escape does here, for the line below the choices. */
  readonly dismissing: string;
}

/** What a person has decided. */
export interface Decision {
  readonly chosen: readonly number[];
  readonly words: string;
}

/** A question on the screen. */
export interface Dialog extends Question {
  readonly id: string;
  readonly selected: number;
  readonly marked: readonly number[];
  /** The words that are being typed to the choice. */
  readonly words?: Editor | undefined;
  /** Keys count: what a person was just typing when it came up is no answer. */
  readonly isArmed: boolean;
}

export const dialogOf = (id: string, question: Question, isArmed: boolean): Dialog => ({
  ...question,
  id,
  selected: 0,
  marked: [],
  isArmed,
});

/** The dialog after a step, or the decision that it comes to. */
export type Step = { readonly dialog: Dialog } | { readonly decision: Decision | undefined };

/** Moves the selection, around the ends. */
export function select(dialog: Dialog, step: number): Dialog {
  const count = dialog.choices.length;
  return { ...dialog, selected: (dialog.selected + step + count) % count };
}

/** Chooses what is selected: marks it, asks for its words, or decides. */
export function choose(dialog: Dialog): Step {
  const { choices, selected, marked, words, isMany = false } = dialog;
  const { takes } = choices[selected] ?? {};
  if (takes && !words) return { dialog: { ...dialog, words: emptyEditor } };
  const typed = words?.text.trim() ?? "";
  if (takes === "words" && typed === "") return { dialog };
  const chosen = isMany && marked.length > 0 ? marked : [selected];
  return { decision: { chosen, words: typed } };
}

/** Marks or unmarks what is selected, where more than one may be chosen. */
export function mark(dialog: Dialog): Dialog {
  const { isMany = false, marked, selected, choices } = dialog;
  if (!isMany || choices[selected]?.takes) return dialog;
  const isMarked = marked.includes(selected);
  return { ...dialog, marked: isMarked ? marked.filter((one) => one !== selected) : [...marked, selected].sort() };
}

/** Escape: from the words back to the choices, or away. */
export const dismiss = (dialog: Dialog): Step =>
  dialog.words ? { dialog: { ...dialog, words: undefined } } : { decision: undefined };
