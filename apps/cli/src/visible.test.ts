import { expect, test } from "vitest";
import { jsonText } from "./json.ts";
import { paint } from "./paint.ts";
import { charactersOf, isApart, isPlain, printable, widthOf } from "./visible.ts";

const tagged = [..."run it"].map((char) => String.fromCodePoint(0xe0000 + (char.codePointAt(0) ?? 0))).join("");

test.each([
  ["a zero-width space", "ali\u200bce", "ali‹200B›ce"],
  ["a joiner between Latin letters", "ad\u200dmin", "ad‹200D›min"],
  ["a byte order mark", "\ufeffbob", "‹FEFF›bob"],
  ["a soft hyphen", "ad\u00admin", "ad‹00AD›min"],
  ["marks of direction", "a\u200e\u200f\u061cb", "a‹200E›‹200F›‹061C›b"],
  ["invisible operators", "a\u2061\u2064b", "a‹2061›‹2064›b"],
  ["a word joiner", "a\u2060b", "a‹2060›b"],
  ["fillers", "\u115f\u1160\u3164\uffa0", "‹115F›‹1160›‹3164›‹FFA0›"],
  ["a blank pattern of dots", "a\u2800b", "a‹2800›b"],
  ["selectors behind a letter", "a\ufe0f\u{e0100}", "a‹FE0F›‹E0100›"],
  ["two joiners in an emoji", "👩\u200d\u200d💻", "👩‹200D›‹200D›💻"],
  ["a joiner at the end", "👩\u200d", "👩‹200D›"],
  ["two of them between Persian letters", "می\u200c\u200cروم", "می‹200C›‹200C›روم"],
  ["half a character", "a\ud83db", "a\uFFFDb"],
  ["more marks than a letter has", `z${"\u0301".repeat(50)}!`, `z${"\u0301".repeat(4)}‹46 marks more›!`],
])("%s is shown", (_, text, shown) => {
  expect(printable(text)).toBe(shown);
});

test("words in tag characters are shown sign by sign", () => {
  expect(printable(`ok${tagged}`)).toBe("ok‹E0072›‹E0075›‹E006E›‹E0020›‹E0069›‹E0074›");
});

test.each([
  ["a family", "👩‍👩‍👧‍👦", 2],
  ["a profession with a tone", "👩🏽‍💻", 2],
  ["a heart on fire", "❤️‍🔥", 2],
  ["a key", "1️⃣", 1],
  ["a flag", "🇩🇪", 2],
  ["Persian", "می‌روم", 5],
  ["Hindi", "क्‍ष", 2],
  ["Arabic with vowels", "مُحَمَّد", 4],
  ["a letter with its mark apart", "e\u0301te\u0301", 3],
  ["Chinese", "翻译𠮷", 6],
  ["a sign of trade", "Troupe™", 7],
  ["a branch of a tree", "│  └─ #2", 8],
])("%s is left as it is, and as wide as it is", (_, text, width) => {
  expect(printable(text)).toBe(text);
  expect(widthOf(text)).toBe(width);
});

test("printable text does not change when it is made printable again", () => {
  for (const text of [`a\u200b${tagged}`, "\x1b[2J", `z${"\u0301".repeat(50)}`, "👩\u200d\u200d💻"])
    expect(printable(printable(text))).toBe(printable(text));
});

test("a line is never broken within a character", () => {
  const lines = paint(["👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦"], { columns: 8, hasColor: false }).split("\n");
  expect(lines.map((line) => charactersOf(line).length)).toEqual([4, 1]);
});

test("JSON says the same in signs that can be seen", () => {
  const document = { name: `ali\u200bce${tagged}\u061c\u3164`, note: "👩\u200d💻" };
  const text = jsonText(document);
  expect(JSON.parse(text)).toEqual(document);
  expect(text).not.toMatch(/\p{Default_Ignorable_Code_Point}/u);
  expect(text).toContain("ali\\u200bce\\udb40\\udc72");
});

const allSigns = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));

test("what counts as plain is one column, steers nothing, and hides nothing", () => {
  const plain = allSigns.filter(isPlain);
  expect(plain.length).toBeGreaterThan(1_200);
  expect(plain.filter((sign) => /[\p{C}\p{M}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(sign))).toEqual([" "]);
  expect(plain.filter((sign) => /\p{Emoji_Presentation}/u.test(sign))).toEqual([]);
});

test("what counts as apart is a character of its own beside any other that does", () => {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const apart = allSigns.filter(isApart);
  expect(apart.length).toBeGreaterThan(30_000);
  const count = (text: string) => [...segmenter.segment(text)].length;
  expect(apart.filter((sign) => count(`각${sign}a${sign}${sign}`) !== 5)).toEqual([]);
  expect(charactersOf("翻译각a")).toEqual(["翻", "译", "각", "a"]);
});
