import fc from "fast-check";
import { expect, test } from "vitest";
import { paint } from "../paint.ts";
import { diffLines } from "./diff.ts";

const shown = (before: string, after: string, hasColor = false) =>
  paint(diffLines(before, after, ""), { columns: 80, hasColor }).split("\n");

test("lines that go and come are marked, with two around them that stay", () => {
  expect(shown("a\nb\nc\nd\ne\n", "a\nb\nc\nD\ne\n")).toEqual(["  b", "  c", "- d", "+ D", "  e"]);
  expect(shown("", "x\ny\n")).toEqual(["+ x", "+ y"]);
});

test("of a line that changed, what differs stands out", () => {
  expect(shown("const a = 1;", "const a = 2;", true)).toEqual([
    "\x1b[31m- const a = \x1b[39m\x1b[31;7m1\x1b[39;27m\x1b[31m;\x1b[39m",
    "\x1b[32m+ const a = \x1b[39m\x1b[32;7m2\x1b[39;27m\x1b[32m;\x1b[39m",
  ]);
});

test("what goes and what stays is the old text, what comes and what stays the new one", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (old, fresh) => {
      // Two lines around are all that is shown of what stays: with fewer, all is there.
      const all = shown(["x", ...old, "y"].join("\n"), ["x", ...fresh, "y"].join("\n"));
      const without = (sign: string) => all.filter((line) => !line.startsWith(sign)).map((line) => line.slice(2));
      const isWithin = (part: readonly string[], whole: readonly string[]) => whole.join("|").includes(part.join("|"));
      expect(isWithin(without("+"), ["x", ...old, "y"])).toBe(true);
      expect(isWithin(without("-"), ["x", ...fresh, "y"])).toBe(true);
    }),
  );
});
