import fc from "fast-check";
import { expect, test } from "vitest";
import { textPattern } from "./wildcard.ts";

test.each([
  ["", "", true],
  ["", "a", false],
  ["a", "a", true],
  ["a*", "a", true],
  ["a*a", "a", false],
  ["a*a", "aba", true],
  ["*b*", "abc", true],
  ["a*b*c", "a-b-b-c", true],
  ["a*b*c", "a-c-b", false],
  ["*😀", "x😀", true],
])("%j and %j: %j", (pattern, text, isFit) => {
  expect(textPattern(pattern.split("*"))(text)).toBe(isFit);
});

test("a star stands for what it stands for in a regular expression", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 8 });
  fc.assert(
    fc.property(letters, fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 }), (pattern, text) => {
      expect(textPattern(pattern.split("*"))(text)).toBe(new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(text));
    }),
  );
});

test("a pattern of many stars is judged at once", () => {
  expect(textPattern(`${"a*".repeat(60)}b`.split("*"))("a".repeat(10_000))).toBe(false);
});
