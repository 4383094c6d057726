import fc from "fast-check";
import { expect, test } from "vitest";
import { frame, noTail, resized, type Tail, wholeFrame } from "./frame.ts";

/**
 * As much of a terminal as a frame uses: rows that scroll, a cursor, and what was scrolled away.
 */
function terminal(columns: number, rows: number) {
  const lines: string[] = [""];
  let [row, column, top] = [0, 0, 0];
  const put = (text: string) => {
    const line = (lines[row] ?? "").padEnd(column);
    lines[row] = line.slice(0, column) + text + line.slice(column + text.length);
    column += text.length;
    expect(column, "nothing is written beyond the last column").toBeLessThan(columns);
  };
  return {
    write(text: string) {
      for (const [, sequence, number, final, sign, plain] of text.matchAll(
        /(\x1b\[\??([\d;]*)([A-Za-z]))|([\r\n])|([^\x1b\r\n]+)/g,
      )) {
        const count = Number(number || 1);
        if (plain !== undefined) put(plain);
        else if (sign === "\r") column = 0;
        else if (sign === "\n") {
          row += 1;
          while (lines.length <= row) lines.push("");
          top = Math.max(top, row - rows + 1);
        } else if (sequence && final === "A") row = Math.max(top, row - count);
        else if (final === "B") row = Math.min(lines.length - 1, row + count);
        else if (final === "C") column += count;
        else if (final === "K") lines[row] = number === "2" ? "" : (lines[row] ?? "").slice(0, column);
        else if (final === "J") {
          lines[row] = (lines[row] ?? "").slice(0, column);
          for (let below = row + 1; below < lines.length; below += 1) lines[below] = "";
        }
      }
    },
    lines: () => lines.join("\n").trimEnd().split("\n"),
    cursor: () => ({ row, column }),
  };
}

const line = fc.stringMatching(/^[a-z ]{0,12}$/).map((text) => text.trimEnd());
const tail = fc
  .array(line, { minLength: 1, maxLength: 6 })
  .chain((lines) =>
    fc
      .nat(lines.length - 1)
      .chain((row) => fc.nat((lines[row] ?? "").length).map((column): Tail => ({ lines, cursor: { row, column } }))),
  );

test("whatever changes, the terminal shows the finished lines once, the tail below them, and the cursor in its place", () => {
  const step = fc.record({ tail, finished: fc.array(line, { maxLength: 5 }) });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
      const shown = terminal(20, 10);
      let before = noTail;
      const all: string[] = [];
      for (const { tail: after, finished } of steps) {
        shown.write(frame(before, after, finished));
        all.push(...finished);
        before = after;
        const wanted = [...all, ...after.lines];
        expect(shown.lines()).toEqual(wanted.join("\n").trimEnd().split("\n"));
        expect(shown.cursor()).toEqual({ row: all.length + after.cursor.row, column: after.cursor.column });
      }
    }),
    { numRuns: 300 },
  );
});

test("what did not change is not written", () => {
  const before = { lines: ["one", "two", "three"], cursor: { row: 1, column: 3 } };
  expect(frame(before, before, [])).toBe("");
  const typed = frame(before, { lines: ["one", "two!", "three"], cursor: { row: 1, column: 4 } }, []);
  expect(typed.replaceAll(/\x1b\[[?\d]*[A-Za-z]/g, "")).toBe("\r!\r");
  expect(typed).not.toMatch(/one|two|three/);
});

test("a frame is drawn at once, with the cursor hidden", () => {
  const text = frame(noTail, { lines: ["x"], cursor: { row: 0, column: 1 } }, ["y"]);
  expect(text).toMatch(/^\x1b\[\?2026h\x1b\[\?25l[\s\S]*\x1b\[\?25h\x1b\[\?2026l$/);
});

test("after the terminal was made narrower the cursor stands below all rows that its lines were broken into", () => {
  const before = { lines: ["-".repeat(20), "\x1b[1mwide\x1b[22m", "ab"], cursor: { row: 2, column: 2 } };
  expect(resized(before, 10)).toEqual({ lines: [], cursor: { row: 3, column: 2 } });
  expect(resized(before, 40)).toEqual({ lines: [], cursor: { row: 2, column: 2 } });
});

test("of a whole screen the rows that changed are written", () => {
  const text = wholeFrame(["a", "b"], ["a", "c"], { row: 0, column: 0 });
  expect(text).toContain("\x1b[2;1Hc\x1b[K");
  expect(text).not.toContain("a");
});
