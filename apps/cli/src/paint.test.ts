import fc from "fast-check";
import { expect, test } from "vitest";
import { type Printed, paint, paintedPieces, paragraphs, type Span } from "./paint.ts";

const plain = { columns: Infinity, hasColor: false };
const linesOf = (columns: number, ...blocks: Printed[]) => paint(blocks, { columns, hasColor: false }).split("\n");

test("a line that is too long goes on below where it begins, broken between words", () => {
  expect(linesOf(16, "  the quick brown fox jumps")).toEqual(["  the quick", "  brown fox", "  jumps"]);
  expect(linesOf(11, "  the quick brown")).toEqual(["  the quick", "  brown"]);
  expect(linesOf(16, "short", "", "a line of words")).toEqual(["short", "", "a line of words"]);
});

test("a line may be broken behind a hyphen within a word, and not within an option, a path or an id", () => {
  expect(linesOf(12, "general-purpose")).toEqual(["general-", "purpose"]);
  expect(linesOf(12, "a word --option")).toEqual(["a word", "--option"]);
  expect(linesOf(14, "resume 0a1b-2c3d-4e")).toEqual(["resume", "0a1b-2c3d-4e"]);
  expect(linesOf(12, "in a/plan-of.md")).toEqual(["in", "a/plan-of.md"]);
});

test("a word that is longer than a line is cut, by columns and not by letters", () => {
  expect(linesOf(10, "  abcdefghijkl m")).toEqual(["  abcdefgh", "  ijkl m"]);
  expect(linesOf(10, "翻译翻译翻译翻")).toEqual(["翻译翻译翻", "译翻"]);
});

test("a table that does not fit lets its widest column give way", () => {
  const rows = [
    ["#1", "pending", "a subject of several words", "bob"],
    ["#2", "completed", "short", ""],
  ];
  expect(linesOf(40, { rows })).toEqual([
    "  #1  pending    a subject of        bob",
    "                 several words",
    "  #2  completed  short",
  ]);
});

test("a table for which no room is left runs on row by row", () => {
  const rows = [["one-thing", "another-thing", "a-third-thing"]];
  expect(linesOf(20, { rows })).toEqual(["  one-thing", "    another-thing", "    a-third-thing"]);
});

test("a column that is empty takes no room, and a short row ends early", () => {
  expect(linesOf(80, { rows: [["a", "", "c"], ["aa"]] })).toEqual(["  a   c", "  aa"]);
  expect(paint([{ rows: [] }], plain)).toBe("");
});

test("a style colours its own text alone, and only where colours are wanted", () => {
  const line: Printed = ["a ", { text: "b", style: "red" }, " c"];
  expect(paint([line], { columns: 80, hasColor: true })).toBe("a \x1b[31mb\x1b[39m c");
  expect(paint([line], plain)).toBe("a b c");
  const row: Printed = { rows: [[{ text: "ab cd", style: "bold" }, "x"]] };
  expect(paint([row], { columns: 80, hasColor: true })).toBe("  \x1b[1mab cd\x1b[22m  x");
});

test("escape sequences, line breaks and direction marks in a text are shown and have no effect, styled or not", () => {
  for (const char of ["\x1b", "\n", "\r", "\x07", "\x7f", "\x9b", "\u2028", "\u202e", "\u2066"]) {
    const text = `a${char}b`;
    expect(paint([text, [{ text, style: "red" }], { rows: [[text]] }], plain).replaceAll("\n", "|")).toBe(
      "a\uFFFDb|a\uFFFDb|  a\uFFFDb",
    );
  }
});

test("a text of many lines keeps them, whatever ends them", () => {
  expect(paint(paragraphs("a\n\nb\r\nc\rd\te", "  "), plain)).toBe("  a\n\n  b\n  c\n  d  e");
});

test("a table has as many rows as there are", () => {
  const rows = Array.from({ length: 200_000 }, (_, n) => [`#${n}`, "pending"]);
  expect(linesOf(Infinity, { rows })).toHaveLength(200_000);
});

/** Signs on both sides of what is printed as it is. */
const signs = [
  ..."a -~\x1f\x7f\x80\x9b\xa0\xad\u24ff\u2500\u257f\u2580\u200b\u202e\u0301翻👩\x1b\n\t",
  "\ud83d",
  "👩\u200d",
];
const text = fc.array(fc.constantFrom(...signs), { maxLength: 12 }).map((all) => all.join(""));
const span: fc.Arbitrary<Span> = fc.oneof(text, fc.record({ text, style: fc.constantFrom("bold", "red") }));

test("a line that is printed as it is looks as it does taken apart, span by span", () => {
  const columns = fc.oneof(fc.constant(Infinity), fc.integer({ min: 8, max: 40 }));
  fc.assert(
    fc.property(fc.array(span, { maxLength: 4 }), columns, fc.boolean(), (spans, columns, hasColor) => {
      const indent = /^ */.exec(spans.map((one) => (typeof one === "string" ? one : one.text)).join(""))?.[0].length;
      const apart = { spans, hang: indent ?? 0 };
      expect(paint([spans], { columns, hasColor })).toBe(paint([apart], { columns, hasColor }));
    }),
    { numRuns: 2_000 },
  );
});

test("an output comes in pieces of whole lines, which say together what it says", () => {
  const many = Array.from({ length: 3_000 }, (_, n) => `${n}-${"x".repeat(n % 200)}`);
  const blocks = ["", ...many, "", { rows: [["a", "b"]] }, ""];
  const pieces = [...paintedPieces(blocks, plain)];
  expect(pieces.join("")).toBe(["", ...many, "", "  a  b", ""].join("\n"));
  expect(pieces.length).toBeGreaterThan(2);
  for (const piece of pieces.slice(1)) expect(piece.startsWith("\n")).toBe(true);
  expect([...paintedPieces([], plain)]).toEqual([]);
});

test("what is printed is made while it is printed, and no more of it than is wanted", () => {
  let made = 0;
  function* lines() {
    for (; made < 100_000; made += 1) yield `line ${made}`;
  }
  const pieces = paintedPieces(lines(), plain);
  pieces.next();
  expect(made).toBeLessThan(20_000);
});
