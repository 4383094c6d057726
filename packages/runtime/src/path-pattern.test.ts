import { expect, test } from "vitest";
import { alternativesOf, pathPattern } from "./path-pattern.ts";

const matches = (pattern: string, path: string) =>
  alternativesOf(pattern).some((one) => pathPattern(one)(path.split("/")));

test.each([
  ["*.ts", "a.ts", true],
  ["*.ts", "src/a.ts", false],
  ["*.ts", ".ts", true],
  ["**/*.ts", "a.ts", true],
  ["**/*.ts", "src/deep/a.ts", true],
  ["src/**", "src/deep/a.ts", true],
  ["src/**", "src", false],
  ["src/**/a.ts", "src/a.ts", true],
  ["src/**/deep/*.ts", "src/x/deep/y/deep/a.ts", true],
  ["a?c", "abc", true],
  ["a?c", "a/c", false],
  ["a?c", "a𝄞c", true],
  ["[a-c]x", "bx", true],
  ["[!a-c]x", "bx", false],
  ["[^a-c]x", "dx", true],
  ["[]]x", "]x", true],
  ["[ab", "[ab", true],
  ["\\*.ts", "*.ts", true],
  ["\\*.ts", "a.ts", false],
  ["a.{js,ts}", "a.ts", true],
  ["{src,{lib,bin}}/*.{c,h}", "bin/x.h", true],
  ["a.+(b)", "a.+(b)", true],
  ["a.c", "abc", false],
])("%s fits %s: %s", (pattern, path, expected) => {
  expect(matches(pattern, path)).toBe(expected);
});

test("a pattern of many stars, and one of many alternatives, come to an end", () => {
  expect(matches("*a".repeat(100).concat("b"), "a".repeat(255))).toBe(false);
  expect(matches("**/x/".repeat(60).concat("y"), "x/".repeat(120).concat("z"))).toBe(false);
  expect(alternativesOf("{a,b}".repeat(40)).length).toBeLessThan(1_001);
});
