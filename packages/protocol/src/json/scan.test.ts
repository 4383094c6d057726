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
  ["-", true],
  ["[nul", true],
  ['{"a":fals', true],
  ["[1.", true],
  ["[1e", true],
  ["[1E+", true],
  ["[1e-", true],
  ['["\\', true],
  ['["\\u00e', true],
  ['[{"a":1', true],
  ["truly", false],
  ["[1.x]", false],
  ["[1ex]", false],
  ["[+1]", false],
  ["[.5]", false],
  ["[-x]", false],
  ["[1}", false],
  ['{"a":1]', false],
  ["[}", false],
  ["{]", false],
  ['{"a":1,}', false],
  ['{"a":1 "b":2}', false],
  ['{"a"}', false],
  ["[1 2]", false],
  ['["\\u00xx more"]', false],
  ['["\\q more text"]', false],
  ['["\u001f"]', false],
  ['["\n"]', false],
  ["[\u00a01]", false],
  ["[fals, 1]", false],
  ['{"a":1,2}', false],
  ['{"a",1}', false],
  ['["\\u12x4', false],
  ["[true.", false],
  ['["a"e', false],
  ["[1e+x]", false],
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

test.each([
  '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00eF"',
  '" \u007f\u2028"',
  "-0.5E+10",
  "1e5",
  "[0,-0]",
  "\t\r\n [ 1 , { } , [ ] ] ",
  '{ "a" : 1 , "b" : 2 }',
])("%j is a whole value to the last of its own characters", (text) => {
  expect(scanJson(text).end).toBe(text.trimEnd().length);
  expect(scanJson(`${text} ]`).end).toBe(text.trimEnd().length);
});

test("a fault stands where the text goes wrong, or at its end where it is cut", () => {
  for (const [text, position] of [
    ["[1,x]", 3],
    ['{"a":1]', 6],
    ['["\n"]', 2],
    ['["\\q more text"]', 2],
    ['["\\u00', 6],
    ['{"a', 3],
    ["[1.", 2],
    ["", 0],
  ] as const)
    expect(scanJson(text).fault?.position, text).toBe(position);
  expect(scanJson("[]").fault).toBeUndefined();
});

test("depth counts the lists and objects around a value, the deepest of all", () => {
  for (const [text, depth] of [
    ["1", 0],
    ["[]", 0],
    ["[1]", 1],
    ['[{"a":[1]},1]', 3],
    ["[[1],[[[1]]],[1]]", 4],
  ] as const)
    expect(scanJson(text).depth, text).toBe(depth);
});

test("each kind of fault is reported at up to a hundred positions, in text order, with index and key", () => {
  const bad = "9007199254740993";
  expect(scanJson(`[1,[${bad},2],{"a":[0,${bad}],"b":"x"},${bad}]`).unsafeNumbers).toEqual([[1, 0], [2, "a", 1], [3]]);
  expect(scanJson(`[${Array(100).fill(bad).join()}]`).unsafeNumbers).toHaveLength(100);
  expect(scanJson(`[${Array(101).fill(bad).join()}]`).unsafeNumbers).toHaveLength(100);
  expect(scanJson(`{${Array(102).fill('"a":1').join()}}`).duplicates).toHaveLength(100);
  expect(scanJson(`{${Array(101).fill('"a":1').join()}}`).duplicates).toHaveLength(100);
  expect(scanJson(`{${Array(100).fill('"a":1').join()}}`).duplicates).toHaveLength(99);
});

test.each<[string, boolean]>([
  ["9007199254740991", true],
  ["-9007199254740991", true],
  ["9007199254740992", true],
  ["9007199254740993", false],
  ["-9007199254740993", false],
  ["123456789012345000000", true],
  ["1234567890123456700000", false],
  ["1.23456789012345e30", true],
  ["1.23456789012345E30", true],
  ["-1.23456789012345e+30", true],
  ["1.2345678901234567e+30", true],
  ["1.23456789012345678e30", false],
  ["0.000123456789012345e40", true],
  ["-1.23456789012345e30", true],
  ["1234567890123450000000000", true],
  ["0.10000000000000001", true],
  ["1e308", true],
  ["1e309", false],
  ["-1e309", false],
])("a rewrite keeps the number %s: %s", (token, isKept) => {
  expect(scanJson(token).unsafeNumbers).toEqual(isKept ? [] : [[]]);
});
