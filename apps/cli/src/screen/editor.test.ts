import { expect, test } from "vitest";
import { widthOf } from "../visible.ts";
import { type Edit, editorOf, edits, insert, laidOut, vertically } from "./editor.ts";

const at = (marked: string) => ({ text: marked.replace("|", ""), at: marked.indexOf("|") });
const marked = ({ text, at: place }: { text: string; at: number }) => `${text.slice(0, place)}|${text.slice(place)}`;

test.each<[string, Edit, string]>([
  ["ab|", "backspace", "a|"],
  ["a👩‍👩‍👧|b", "backspace", "a|b"],
  ["e\u0301|", "backspace", "|"],
  ["|你好", "right", "你|好"],
  ["one two|", "wordLeft", "one |two"],
  ["one| two", "wordRight", "one two|"],
  ["one two|", "deleteWord", "one |"],
  ["a\nbc|d", "lineStart", "a\n|bcd"],
  ["a\n|bcd\ne", "lineEnd", "a\nbcd|\ne"],
  ["a\nbc|d", "deleteToStart", "a\n|d"],
  ["a\nb|cd\ne", "deleteToEnd", "a\nb|\ne"],
  ["a|b", "newline", "a\n|b"],
  ["|", "backspace", "|"],
  ["x|", "deleteNext", "x|"],
])("%j: %s gives %j", (before, edit, after) => {
  expect(marked(edits[edit](at(before)))).toBe(after);
});

test("what is pasted keeps its lines and tabs, and loses what steers a terminal", () => {
  expect(insert(at("a|b"), "1\r\n\t2\x1b[31m\x07").text).toBe("a1\n\t2[31mb");
});

test("up and down keep the column, and mean something else at the first and the last line", () => {
  expect(marked(vertically(at("你好啊\nab|cd"), -1) ?? at("|"))).toBe("你|好啊\nabcd");
  expect(marked(vertically(at("ab|cd\nx"), 1) ?? at("|"))).toBe("abcd\nx|");
  expect([vertically(at("a|"), -1), vertically(at("a|"), 1)]).toEqual([undefined, undefined]);
});

test("rows are broken at the width, wide characters count twice, and the cursor stands where the text goes on", () => {
  expect(laidOut(editorOf("你好你好"), 5)).toEqual({ rows: ["你好", "你好"], row: 1, column: 4 });
  expect(laidOut(editorOf("abcd"), 4)).toEqual({ rows: ["abcd", ""], row: 1, column: 0 });
  expect(laidOut(at("ab|\ncd"), 9)).toEqual({ rows: ["ab", "cd"], row: 0, column: 2 });
  expect(laidOut(editorOf("e\u0301x"), 9)).toMatchObject({ column: 2 });
});

test("rows end between words where that can be, with at most one space beyond the width, and no character is lost", () => {
  expect(laidOut(editorOf("one two three"), 8)).toEqual({ rows: ["one two ", "three"], row: 1, column: 5 });
  expect(laidOut(at("ab cdefghijkl| m"), 6)).toEqual({ rows: ["ab ", "cdefgh", "ijkl m"], row: 2, column: 4 });
  expect(laidOut(editorOf("abc d"), 3)).toEqual({ rows: ["abc ", "d"], row: 1, column: 1 });
  const text = "a 你好世界 long_word_without_a_break  two  spaces e\u0301 👩‍👩‍👧 ";
  for (const width of [3, 4, 5, 8, 20]) {
    const { rows } = laidOut(editorOf(text), width);
    expect(rows.join("")).toBe(text);
    for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(width + 1);
  }
});
