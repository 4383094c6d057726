import { expect, test } from "vitest";
import { widthOf } from "../visible.ts";
import { createPainter } from "./painter.ts";
import { emptyState, type State } from "./state.ts";
import { emptyTalk, type Item } from "./talk.ts";
import { update } from "./update.ts";
import { viewOf } from "./view.ts";

const painter = createPainter({ hasColor: false, isSpoken: false, shorten: (text) => text });
const items = Array.from({ length: 200 }, (_, at): Item => ({ kind: "words", text: `line ${at}` }));
const ann = { name: "ann", color: "blue", doing: "working", talk: { ...emptyTalk, items }, isHeard: true } as const;
const viewing: State = {
  ...emptyState,
  columns: 80,
  rows: 20,
  mates: [ann],
  view: { mate: "ann", isUnfolded: false, up: 0 },
};
const pressed = (state: State, ...names: readonly string[]) =>
  names.reduce((now, name) => update(now, { kind: "key", key: { name }, at: 0 }).state, state);

test("a view fills the screen to its last row, with the end of the conversation above the prompt", () => {
  for (const [columns, rows] of [
    [60, 10],
    [80, 24],
    [160, 50],
  ] as const) {
    const { lines, cursor } = viewOf({ ...viewing, columns, rows }, painter);
    expect(lines).toHaveLength(rows);
    for (const line of lines) expect(widthOf(line)).toBeLessThan(columns);
    expect(lines[0]).toMatch(/^@ann {2}working.*/);
    expect(lines.join("\n")).toContain("line 199");
    expect(lines[cursor.row]).toMatch(/^› Write to ann/);
  }
});

test("of the keys in its first line only those stand there that fit", () => {
  const head = (columns: number) => viewOf({ ...viewing, columns }, painter).lines[0];
  expect(head(80)).toBe("@ann  working  ↑↓ pgup pgdn · esc back · shift+↑↓ others · ctrl+o unfolds");
  expect(head(60)).toBe("@ann  working  ↑↓ pgup pgdn · esc back · shift+↑↓ others");
  expect(head(50)).toBe("@ann  working  ↑↓ pgup pgdn · esc back");
});

test("it is scrolled by lines and pages, and not beyond its beginning", () => {
  const text = (state: State) => viewOf(state, painter).lines.join("\n");
  const up = pressed(viewing, "up", "up");
  expect(text(up)).not.toContain("line 199");
  expect(text(up)).toContain("↓ 2 lines below");
  expect(text(pressed(up, "down", "down", "down"))).toContain("line 199");
  const top = pressed(viewing, ...Array.from({ length: 100 }, () => "pageup"));
  expect(text(top)).toMatch(/\n {2}line 0\n/);
  expect(viewOf(top, painter).up).toBeLessThan(top.view?.up ?? 0);
  expect(text(pressed(viewing, "escape"))).not.toContain("Write to ann");
});

test("ctrl+o unfolds a teammate's conversation where it stands, and folds it again; of the main one it is the way back", () => {
  const result = { text: "one\ntwo\nthree\nfour", isError: false };
  const call: Item = { kind: "call", call: { id: "c", name: "Bash", input: {}, hasBegun: true, result } };
  const folded: State = { ...viewing, mates: [{ ...ann, talk: { ...emptyTalk, items: [call] } }] };
  const text = (state: State) => viewOf(state, painter).lines.join("\n");
  expect(text(folded)).toContain("… 1 more line (ctrl+o)");
  expect(text(pressed(folded, "ctrl+o"))).toMatch(/^@ann[\s\S]* {4}four\n/);
  expect(text(pressed(folded, "ctrl+o", "ctrl+o"))).toContain("… 1 more line (ctrl+o)");
  expect(pressed(emptyState, "ctrl+o").view).toMatchObject({ mate: undefined, isUnfolded: true });
  expect(pressed(emptyState, "ctrl+o", "ctrl+o").view).toBeUndefined();
});

test("what was painted for a width is kept for it", () => {
  const [item] = items;
  if (!item) throw new Error("there is none");
  const look = { isUnfolded: false, colorOf: () => "bold" as const };
  const first = painter.item(item, undefined, 80, look);
  expect(painter.item(item, undefined, 80, look)).toBe(first);
  expect(painter.item(item, undefined, 60, look)).not.toBe(first);
});
