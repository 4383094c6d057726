import { expect, test } from "vitest";
import { paint } from "../paint.ts";
import { markdown, splitFinished } from "./markdown.ts";

const shown = (text: string, columns = 40) => paint(markdown(text), { columns, hasColor: false });

test.each([
  ["# Title", "Title"],
  ["a **strong** and *weak* `code`", "a strong and weak code"],
  ["- one\n  - two", "• one\n  • two"],
  ["1. one", "1. one"],
  ["> said", "│ said"],
  ["[docs](https://x.dev)", "docs (https://x.dev)"],
  ["[https://x.dev](https://x.dev)", "https://x.dev"],
  ["```ts\nconst x = **1**;\n```", "  const x = **1**;"],
  ["| a | b |\n|---|---|\n| 1 | 2 |", "  a  b\n  1  2"],
  ["| a | b |\n|---|---|\n| 1 | 2", "  a  b\n  1  2"],
  ["a_b_c 2*3*4", "a_b_c 2*3*4"],
])("%j is shown as %j", (text, expected) => {
  expect(shown(text)).toBe(expected);
});

test("an address that does not fit goes below as a whole, with its bracket", () => {
  expect(shown("see [the docs](https://x.dev/a/page)", 30)).toBe("see the docs\n(https://x.dev/a/page)");
});

test("further lines of a point begin below its words", () => {
  expect(shown("- one two three four", 12)).toBe("• one two\n  three four");
});

test("nothing in it steers the terminal", () => {
  const text = paint(markdown("a\x1b[2Jb\n```\n\x1b]0;t\x07\n```"), { columns: 40, hasColor: true });
  expect(text.replaceAll(/\x1b\[\d+m/g, "")).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
});

test("what is finished ends at an empty line outside of code", () => {
  expect(splitFinished("a\n\nb")).toEqual({ finished: "a", rest: "b" });
  expect(splitFinished("```\na\n\nb")).toEqual({ finished: "", rest: "```\na\n\nb" });
  expect(splitFinished("```\na\n\nb\n```\n\nc")).toEqual({ finished: "```\na\n\nb\n```", rest: "c" });
  expect(splitFinished("a\n")).toEqual({ finished: "", rest: "a\n" });
});
