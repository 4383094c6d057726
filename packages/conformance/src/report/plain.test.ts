import { expect, test } from "vitest";
import { plain, plainLine, shown, shownShort } from "./plain.ts";

test("characters that control a terminal or hide text are shown as escapes", () => {
  expect(plain("\u001b[31m\u009b\u0000")).toBe("\\u001b[31m\\u009b\\u0000");
  expect(plain("a\u202eb\u200bc\ufeffd\u2028e")).toBe("a\\u202eb\\u200bc\\ufeffd\\u2028e");
  expect(plain("\ud800 \udfff \uffff \u{e0041}")).toBe("\\ud800 \\udfff \\uffff \\u{e0041}");
});

test("ordinary text of any language, tabs and line breaks stay as they are", () => {
  const text = "Grüße, 日本語, עברית, é\u0301, 🙂\n\tend";
  expect(plain(text)).toBe(text);
  expect(plain("one\r\ntwo\rthree")).toBe("one\ntwo\\u000dthree");
});

test("one line has no line breaks", () => {
  expect(plainLine(" a\n\n b\tc\r\n")).toBe("a b c");
});

test("a value on one line keeps the spaces inside its texts", () => {
  expect(shownShort({ a: ["x  y\n z", []], b: {} }, 100)).toBe('{"a": ["x  y\\n z", []], "b": {}}');
});

test("a long value is cut between characters", () => {
  expect(shownShort("🙂🙂🙂", 3)).toBe('"🙂🙂…');
});

test("an empty value is shown as nothing", () => {
  expect([shown(undefined), shownShort(undefined, 9), shown(null), shown("")]).toEqual([
    "nothing",
    "nothing",
    "null",
    "",
  ]);
});
