import fc from "fast-check";
import { expect, test } from "vitest";
import { keysOfRest, readKeys } from "./keys.ts";

const named = (input: string) => readKeys(input).keys.map(({ name, text }) => text ?? name);

test.each<[string, string[]]>([
  ["ab", ["ab"]],
  ["你好é", ["你好é"]],
  ["\r", ["enter"]],
  ["\n", ["ctrl+j"]],
  ["\t", ["tab"]],
  ["\x7f", ["backspace"]],
  ["\x02\x03", ["ctrl+b", "ctrl+c"]],
  ["a\rb", ["a", "enter", "b"]],
  ["\x1b[A\x1b[B", ["up", "down"]],
  ["\x1bOA", ["up"]],
  ["\x1b[1;2A\x1b[1;2B", ["shift+up", "shift+down"]],
  ["\x1b[Z", ["shift+tab"]],
  ["\x1b[1;5D\x1bb", ["ctrl+left", "alt+b"]],
  ["\x1b\r", ["alt+enter"]],
  ["\x1b[13;2u\x1b[27;2;13~", ["shift+enter", "shift+enter"]],
  ["\x1b[98;5u\x1b[97;1u", ["ctrl+b", "a"]],
  ["\x1b[5~\x1b[6~\x1b[3~", ["pageup", "pagedown", "delete"]],
  ["\x1b[200~two\r\nlines\x1b[31m\x1b[201~x", ["two\r\nlines\x1b[31m", "x"]],
  ["\x1b[99~\x1b[?62c", []],
])("%j is %j", (input, keys) => {
  expect(named(input)).toEqual(keys);
  expect(readKeys(input).rest).toBe("");
});

test("however the bytes are cut, the keys are the same, and Escape alone is one when nothing follows", () => {
  const input = "ab\x1b[1;2A\x1b[200~pasted\ntext\x1b[201~\x1b[13;2u\x1bOBz";
  fc.assert(
    fc.property(fc.array(fc.nat(input.length), { maxLength: 6 }), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), input.length];
      let rest = "";
      const seen: string[] = [];
      for (const [at, from] of places.entries()) {
        const read = readKeys(rest + input.slice(from, places[at + 1] ?? input.length));
        rest = read.rest;
        seen.push(...read.keys.map(({ name, text }) => text ?? name));
      }
      expect(seen.join("|").replaceAll("a|b", "ab")).toBe(named(input).join("|"));
    }),
  );
  expect(readKeys("\x1b")).toEqual({ keys: [], rest: "\x1b" });
  expect(keysOfRest("\x1b")).toEqual([{ name: "escape" }]);
});
