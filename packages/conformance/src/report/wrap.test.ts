import { describe, expect, test } from "vitest";
import { wrap } from "./wrap.ts";

test("words go to the next line where they do not fit", () => {
  expect(wrap("one two three four", 9)).toEqual(["one two", "three", "four"]);
  expect(wrap("exactly nine", 12)).toEqual(["exactly nine"]);
});

test("a word longer than a line is cut, and nothing of it is lost", () => {
  expect(wrap("a 0123456789abcdef b", 8)).toEqual(["a", "01234567", "89abcdef", "b"]);
});

test("spaces inside a line stay, and no line begins with one", () => {
  expect(wrap("  ab  cd   ef", 8)).toEqual(["  ab  cd", "ef"]);
});

describe("a line is as wide as it looks", () => {
  test("wide characters count twice", () => {
    expect(wrap("日本語日本語", 8)).toEqual(["日本語日", "本語"]);
    expect(wrap("🙂🙂🙂🙂🙂", 8)).toEqual(["🙂🙂🙂🙂", "🙂"]);
  });

  test("accents of their own count nothing", () => {
    expect(wrap("e\u0301e\u0301e\u0301e\u0301 e\u0301e\u0301e\u0301", 8)).toEqual([
      "e\u0301e\u0301e\u0301e\u0301 e\u0301e\u0301e\u0301",
    ]);
  });
});

test("there is always a line, and always room for something", () => {
  expect(wrap("", 80)).toEqual([""]);
  expect(wrap("abcdefghij", 0)).toEqual(["abcdefgh", "ij"]);
});
