import { expect, test } from "vitest";
import { widthOf } from "../visible.ts";
import { editorOf } from "./editor.ts";
import { createPainter } from "./painter.ts";
import { permissionQuestion } from "./permission.ts";
import { emptyState, type Message, restingStatus, type State } from "./state.ts";
import { tailOf } from "./tail.ts";
import { emptyTalk } from "./talk.ts";
import { update } from "./update.ts";

const look = { hasColor: false, isSpoken: false, shorten: (text: string) => text };
const drawn = (state: State) => tailOf(state, createPainter(look));

const busy: State = {
  ...emptyState,
  talk: {
    ...emptyTalk,
    words: `${"many words in a row and 你好 ".repeat(40)}\n- a point`,
    calls: [{ id: "1", name: "Bash", input: { command: `echo ${"x".repeat(300)}` }, hasBegun: true }],
    doing: "calling",
  },
  since: 0,
  now: 65_000,
  status: {
    ...restingStatus,
    model: "claude-sonnet-5-5",
    cost: 1.5,
    tokens: { sent: 100, cached: 87, output: 3 },
    work: [
      { id: "a", kind: "agent", description: "a look around", isBackground: true },
      { id: "b", kind: "command", description: `npm run ${"very ".repeat(40)}long`, isBackground: true },
    ],
    queued: ["and one more thing"],
  },
  mates: [{ name: "ann", color: "blue", doing: "idle", talk: emptyTalk, isHeard: true }],
  tasks: [
    { id: "1", subject: "Read the grammar", status: "completed", owner: "ann", blockedBy: [] },
    { id: "2", subject: "Write the parser", status: "pending", owner: undefined, blockedBy: ["3"] },
    { id: "3", subject: "Ask about it", status: "in_progress", owner: "bob", blockedBy: [] },
  ],
  hasTasks: true,
  editor: editorOf(`a prompt ${"that goes on ".repeat(20)}`),
};

test("a screen reader is told what waits, and of the tasks their status, in words", () => {
  const { lines } = tailOf({ ...busy, columns: 100, rows: 60 }, createPainter({ ...look, isSpoken: true }));
  const text = lines.join("\n");
  for (const part of ["Waits: and one more thing", "in progress #3 Ask about it  bob", "completed #1"])
    expect(text).toContain(part);
  expect(text).not.toMatch(/[─●└✳›☐◐☑]/);
});

test.each([60, 80, 100, 160, 200])(
  "in %d columns no line is too long, and the cursor stands in the prompt",
  (columns) => {
    const { lines, cursor } = drawn({ ...busy, columns, rows: 60 });
    for (const line of lines) expect(widthOf(line), line).toBeLessThan(columns);
    const before = (lines[cursor.row] ?? "").slice(0, cursor.column);
    expect(before.trimEnd()).toMatch(/on$/);
    const text = lines.join("\n");
    for (const part of [
      "65 s · esc stops it",
      "◌ a look around  in the background · begins",
      "◌ npm run very",
      "› and one more thing",
      "☑ #1",
      "@ann idle",
      "◐ #3",
      "after #3",
    ])
      expect(text).toContain(part);
  },
);

test.each([5, 10, 20])("in %d rows the prompt is there, and nothing is pushed out of the screen", (rows) => {
  const { lines, cursor } = drawn({ ...busy, columns: 80, rows });
  expect(lines.length).toBeLessThan(rows);
  expect(cursor.row).toBeLessThan(lines.length);
});

test("of many options those around the selected one are shown, each with its summary below its own", () => {
  const options = Array.from({ length: 12 }, (_, at) => ({ name: `name${at}`, summary: "says a lot ".repeat(8) }));
  const shown = (selected: number) => {
    const completion = { from: 1, options, selected };
    return drawn({ ...emptyState, columns: 60, rows: 40, editor: editorOf("/"), completion }).lines.join("\n");
  };
  expect(shown(0)).toMatch(/› name0 {3}says.*\n {10}a lot[\s\S]* name7 [\s\S]*… 4 more: ↑↓$/);
  expect(shown(0)).not.toContain("name8");
  expect(shown(11)).toMatch(/ name4 [\s\S]*› name11 /);
});

test("of a prompt with many rows it is said where more of them are", () => {
  const text = Array.from({ length: 14 }, (_, at) => `line ${at}`).join("\n");
  const rows = (at: number) =>
    drawn({ ...emptyState, columns: 60, rows: 40, editor: { text, at } }).lines.slice(-11, -1);
  expect([rows(text.length)[0], rows(text.length).at(-1)]).toEqual(["↑ line 4", "  line 13"]);
  expect([rows(0)[0], rows(0).at(-1)]).toEqual(["› line 0", "↓ line 9"]);
});

test("of a long question the beginning and all choices are shown, and ctrl+o puts all of it above", () => {
  const command = Array.from({ length: 100 }, (_, at) => `echo ${at}`).join("\n");
  const asked = { id: "q", call: "c", tool: "Bash", input: { command }, reason: "no rule", suggestions: [] };
  const ask: Message = { kind: "ask", id: "q1", question: permissionQuestion(asked).question, at: 5_000 };
  const { state } = update({ ...emptyState, rows: 20 }, ask);
  const text = drawn(state).lines.join("\n");
  for (const part of ["Bash", "echo 0", "more lines: ctrl+o shows all", "1. Yes", "2. No"])
    expect(text).toContain(part);
  expect(text).not.toContain("echo 99");
  const unfolded = update(state, { kind: "key", key: { name: "ctrl+o" }, at: 6_000 }).state;
  expect(unfolded.talk.items).toEqual([{ kind: "whole", blocks: state.dialogs[0]?.about }]);
});

test("what is finished is not drawn again with a key, however much it is", () => {
  const items = Array.from({ length: 10_000 }, (_, at) => ({ kind: "words", text: `line ${at}` }) as const);
  let painted = 0;
  const painter = createPainter(look);
  const counting = {
    ...painter,
    item(...args: Parameters<typeof painter.item>) {
      painted += 1;
      return painter.item(...args);
    },
  };
  const state = { ...emptyState, talk: { ...emptyTalk, items } };
  const { state: next } = update(state, { kind: "key", key: { name: "text", text: "x" }, at: 1 });
  tailOf(next, counting);
  expect(painted).toBe(0);
});
