import { expect, test } from "vitest";
import { importsIn } from "./imports.ts";

test.each([
  ["at the start of a line", "@a.md", ["a.md"]],
  ["within a sentence", "See @README for the overview and @package.json for the scripts.", ["README", "package.json"]],
  [
    "at the end of a sentence",
    "Read @docs/a.md. Then @docs/b.md, please (or @./c).",
    ["docs/a.md", "docs/b.md", "./c"],
  ],
  ["with every kind of path", "@./a @../b @/c/d @~/e", ["./a", "../b", "/c/d", "~/e"]],
  ["with a space in its name", "@my\\ notes.md", ["my notes.md"]],
  ["in a list", "- one @a\n    - two @b\n\n    @c", ["a", "b", "c"]],
  ["in the second line of a list's item", "1. one\n   two\n\n       @a", ["a"]],
  ["in a line that is indented within a paragraph", "words\n    @a", ["a"]],
  ["twice", "@a @a", ["a"]],
  ["in a text with other ends of lines", "@a\r\n@b\r@c", ["a", "b", "c"]],
  ["beside a backtick that opens nothing", "it`s @a ``here", ["a"]],
  ["behind a line of backticks within a paragraph", "words\n    ```\n@a", ["a"]],
  ["behind a line with a code span in three backticks", "``` x ``` @a", ["a"]],
  ["behind a code span", "`x` @a", ["a"]],
  ["behind a code block", "```\n@x\n```\n@a", ["a"]],
  ["between two spans", "`` ` `` @a `b`", ["a"]],
])("a path is imported %s", (_, text, paths) => {
  expect(importsIn(text)).toEqual(paths);
});

test.each([
  ["an address", "me@example.org"],
  ["a lone sign", "a @ b @."],
  ["a code span", "`@a` and ``b ` @c``"],
  ["a code span over two lines", "`one\n@a` two"],
  ["what follows a code span without a space", "`x`@a"],
  ["a code block", "```\n@a\n```"],
  ["a code block of another language", "~~~ts\n@a\n```\n@b\n~~~"],
  ["a code block that is longer", "````\n```\n@a\n````"],
  ["a code block with what looks like the start of another", "```\n``` x\n@a\n```"],
  ["a code block that never ends", "```\n@a"],
  ["a code block in a list or a quotation", "- ```\n  @a\n  ```\n\n> ```\n> @b\n> ```"],
  ["a code block deep in a list", "1. one\n\n    ```\n    @a\n\n    @b\n    ```"],
  ["an indented code block behind another", "```\n```\n    @a"],
  ["an indented code block", "words\n\n    @a\n    @b\n\n\t@c"],
])("%s imports nothing", (_, text) => {
  expect(importsIn(text)).toEqual([]);
});

test("a text made to be slow is read at once", () => {
  const runs = Array.from({ length: 600 }, (_, at) => "`".repeat(at + 1)).join(" ");
  expect(importsIn(`${"`a ``b ".repeat(40_000)} ${runs} @a`)).toEqual(["a"]);
  expect(importsIn(`${"@".repeat(200_000)}\n@${".".repeat(200_000)}`)).toEqual(["@".repeat(199_999)]);
});
