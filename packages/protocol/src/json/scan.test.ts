import fc from "fast-check";
import { expect, test } from "vitest";
import { scanJson } from "./scan.ts";

test("a complete value ends where it ends, whatever follows", () => {
  expect(scanJson(' {"a":[1,"}"]} ').end).toBe(14);
  expect(scanJson('{"a":1}}').end).toBe(7);
  expect(scanJson("[]]").end).toBe(2);
  expect(scanJson('"a" x').end).toBe(3);
});

test.each([
  ["", true],
  ["{", true],
  ['{"a', true],
  ['{"a"', true],
  ['{"a":', true],
  ['{"a":1,', true],
  ["[1", true],
  ['["\\u00', true],
  ["tru", true],
  ["[-", true],
  ["{a:1}", false],
  ["[1,]", false],
  ["{'a':1}", false],
  ['{"a" 1}', false],
  ["[01]", false],
  ['["\t"]', false],
  ['["\\x41 and more"]', false],
  ["undefined", false],
])("%j has no value; cut short: %s", (text, isCut) => {
  const { end, fault } = scanJson(text);
  expect(end).toBeUndefined();
  expect(fault?.isCut).toBe(isCut);
});

test("numbers that a rewrite would change are found, with their place", () => {
  const text =
    '{"a":9007199254740993,"b":[1,-9007199254740993],"c":1e400,"d":1.5,"e":"9007199254740993","f":9007199254740991}';
  expect(scanJson(text).unsafeNumbers).toEqual([["a"], ["b", 1], ["c"]]);
});

test("keys that stand twice are found, also when they are spelled differently", () => {
  expect(scanJson('{"a":1,"b":{"x":1,"\\u0078":2},"a":3}').duplicates).toEqual([["b", "x"], ["a"]]);
});

test("a text is whole for the scan exactly when it is for JSON.parse", () => {
  const pieces = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "1",
    "-",
    "0",
    ".",
    "e",
    "true",
    "nul",
    " ",
    "\\",
    "\\u0041",
    "a",
    "\n",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(pieces).map((parts) => parts.join("")),
        fc.json(),
      ),
      (text) => {
        let isWhole = true;
        try {
          JSON.parse(text);
        } catch {
          isWhole = false;
        }
        const { end } = scanJson(text);
        expect(end !== undefined && text.slice(end).trim() === "" && !/[^ \t\n\r]/.test(text.slice(end))).toBe(isWhole);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("every prefix of a document is cut, none is malformed", () => {
  const text = JSON.stringify({ name: "a\n\u0001\u{1F600}", list: [1, -2.5e10, true, null, { deep: [[]] }] }, null, 2);
  for (let length = 0; length < text.length; length += 1) {
    expect(scanJson(text.slice(0, length)), text.slice(0, length)).toMatchObject({
      end: undefined,
      fault: { isCut: true },
    });
  }
});

test("a hundred thousand open brackets do not exhaust the stack", () => {
  const depth = 100_000;
  expect(scanJson("[".repeat(depth) + "]".repeat(depth)).end).toBe(2 * depth);
  expect(scanJson('{"a":'.repeat(depth)).fault?.isCut).toBe(true);
});
