import type { Printed } from "../paint.ts";
import { widthOf } from "../visible.ts";
import { callLines } from "./call-lines.ts";
import { fitting } from "./fitting.ts";
import type { Tail } from "./frame.ts";
import { markdown } from "./markdown.ts";
import type { Painter } from "./painter.ts";
import type { State } from "./state.ts";
import { inputOf } from "./tail.ts";
import type { Talk } from "./talk.ts";
import { styleOf } from "./update.ts";

/**
 * A whole screen: a teammate's conversation, or the main one with everything unfolded; and how far
 * up it can be scrolled, if the wish goes beyond its beginning.
 */
export function viewOf(state: State, painter: Painter): Tail & { readonly up: number } {
  const { columns, rows, view, mates, talk } = state;
  const mate = mates.find(({ name }) => name === view?.mate);
  const input = inputOf(state, painter);
  const room = Math.max(1, rows - input.lines.length - 2);
  const head = painter.lines([headOf(state, mate)], columns).slice(0, 1);
  const { lines, up } = window(mate?.talk ?? talk, state, painter, room);
  const padding = Array.from({ length: Math.max(0, room - lines.length) }, () => "");
  const place = up > 0 ? painter.lines([{ text: `  ↓ ${up} lines below`, style: "dim" }], columns) : [""];
  return {
    up,
    lines: [...head, ...lines, ...padding, ...place, ...input.lines].slice(0, rows),
    cursor: { row: 1 + room + 1 + input.cursor.row, column: input.cursor.column },
  };
}

function headOf({ view, mates, columns }: State, mate: State["mates"][number] | undefined): Printed {
  const name = view?.mate === undefined ? "The whole conversation" : `@${view.mate}`;
  const doing = mate ? `  ${mate.doing}` : "";
  const keys = fitting(
    ["↑↓ pgup pgdn", "esc back", mates.length > 0 && "shift+↑↓ others", mate && "ctrl+o unfolds"],
    columns - 3 - widthOf(name + doing),
  );
  return [{ text: name, style: mate?.color ?? "bold" }, doing, { text: `  ${keys}`, style: "dim" }];
}

/** The lines that the window shows, collected from the end: the beginning is not painted. */
function window({ items, words, calls }: Talk, state: State, painter: Painter, room: number) {
  const { columns, mates } = state;
  const isUnfolded = state.view?.isUnfolded ?? false;
  const colorOf = (name: string) => mates.find((mate) => mate.name === name)?.color ?? styleOf(undefined);
  const live = [
    ...(words.trim() === "" ? [] : ["", ...markdown(words, "  ")]),
    ...(calls.length > 0 && items.length > 0 ? [""] : []),
    ...calls.flatMap((call) => callLines(call, { ...painter.look, isUnfolded })),
  ];
  let lines: readonly string[] = painter.lines(live, columns);
  const wanted = room + (state.view?.up ?? 0);
  for (let at = items.length - 1; at >= 0 && lines.length < wanted; at -= 1) {
    const item = items[at];
    if (item) lines = [...painter.item(item, items[at - 1], columns, { isUnfolded, colorOf }), ...lines];
  }
  const up = Math.max(0, Math.min(state.view?.up ?? 0, lines.length - room));
  const end = lines.length - up;
  return { lines: lines.slice(Math.max(0, end - room), end), up };
}
