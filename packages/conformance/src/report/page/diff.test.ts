import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diffLines, folded } from "./diff.ts";

const written = (first: string, second: string) =>
  diffLines([...first], [...second])
    .map(({ sign, text }) => `${sign}${text}`)
    .join("");

test("lines that both have are told once, others with their side", () => {
  expect(written("abcd", "abXd")).toBe(" a b-c+X d");
  expect(written("abc", "abc")).toBe(" a b c");
  expect(written("", "ab")).toBe("+a+b");
  expect(written("xaybz", "ab")).toBe("-x a-y b-z");
});

test("it is true of both sides, whatever they are, and tells no common line twice where one side holds the other", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (first, second) => {
      const found = diffLines(first, second);
      const side = (left: string) => found.filter(({ sign }) => sign !== left).map(({ text }) => text);
      expect(side("+")).toEqual(first);
      expect(side("-")).toEqual(second);
    }),
  );
  expect(written("ac", "abc")).toBe(" a+b c");
});

test("texts too long to compare are told one after the other, but for how they begin and end", () => {
  const long = (word: string) => [
    "same",
    ...Array.from({ length: 2_000 }, (_, index) => (index === 1_000 ? "middle" : `${word}${index}`)),
    "end",
  ];
  const found = diffLines(long("a"), long("b"));
  expect(
    found
      .map(({ sign }) => sign)
      .join("")
      .replace(/(.)\1+/g, "$1"),
  ).toBe(" -+ ");
});

describe("a diff leaves out lines far from any change", () => {
  const view = (first: string, second: string) =>
    folded(diffLines([...first], [...second]), 1).map(({ sign, text }) => (sign === "⋯" ? `⋯${text}` : sign));

  test("and counted", () => {
    expect(view("abcdefghX", "abcdefghY")).toEqual(["⋯7 lines", " ", "-", "+"]);
    expect(view("Xabcdefgh", "Yabcdefgh")).toEqual(["-", "+", " ", "⋯7 lines"]);
    expect(view("XabcdefZ", "YabcdefZQ")).toEqual(["-", "+", " ", "⋯5 lines", " ", "+"]);
  });

  test("unless there is next to nothing to leave out", () => {
    expect(view("Xabc", "Yabc")).toEqual(["-", "+", " ", " ", " "]);
    expect(view("abc", "abc")).toEqual(["⋯3 lines"]);
  });
});
