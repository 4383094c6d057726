import { expect, test } from "vitest";
import { fillIn } from "./fill-in.ts";

test.each([
  ["Fix $ARGUMENTS now.", 'a "b c"', 'Fix a "b c" now.'],
  ["$0-$1-$ARGUMENTS[2]", "a 'b c' d\\ e", "a-b c-d e"],
  ["$0 and $5", "a", "a and $5"],
  ["$5", "a", "$5\n\nARGUMENTS: a"],
  ["Do it.", "now", "Do it.\n\nARGUMENTS: now"],
  ["Do it.", "  ", "Do it."],
  ["To $ARGUMENTS.", "", "To ."],
  ["\\$0 \\\\$0 $0", "a", "$0 \\\\a a"],
  ["$0", "\\$ARGUMENTS $0", "$ARGUMENTS"],
  ["$ARGUMENTS", "$& $1 $ARGUMENTS", "$& $1 $ARGUMENTS"],
  ["$ARGUMENTSX $0x $HOME", "a", "$ARGUMENTSX $0x $HOME\n\nARGUMENTS: a"],
  ["$0|$1", "don't stop", "don't|stop"],
  ["$0", '"say \\"so\\""', 'say "so"'],
])("%j with %j is %j", (text, args, filled) => {
  expect(fillIn(text, args)).toBe(filled);
});

test("a text that asks for its arguments endlessly does not grow without bounds", () => {
  const filled = fillIn("$ARGUMENTS ".repeat(9_000), "x".repeat(100_000));
  expect(filled.length).toBeLessThan(100_200);
  expect(filled).toContain("the skill and its arguments are too long");
});
