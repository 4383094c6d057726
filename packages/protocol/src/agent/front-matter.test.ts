import { expect, test } from "vitest";
import { splitFrontMatter } from "./front-matter.ts";

test.each([
  ["plain", "---\nname: a\n---\nBody\n", "name: a\n", 2, "Body\n", 4],
  ["CRLF", "---\r\nname: a\r\n---\r\nBody\r\n", "name: a\n", 2, "Body\n", 4],
  ["CR", "---\rname: a\r---\rBody", "name: a\n", 2, "Body", 4],
  ["byte order mark", "\uFEFF---\nname: a\n---\nBody", "name: a\n", 2, "Body", 4],
  ["blank lines above", "\n \n---\nname: a\n---\nBody", "name: a\n", 4, "Body", 6],
  ["blanks behind the fences", "---  \nname: a\n---\t \nBody", "name: a\n", 2, "Body", 4],
  ["empty front matter", "---\n---\nBody", "", 2, "Body", 3],
  ["no body", "---\nname: a\n---", "name: a\n", 2, "", 3],
  ["fences in the body", "---\na: 1\n---\nx\n---\ny\n---\n", "a: 1\n", 2, "x\n---\ny\n---\n", 4],
  ["an indented fence", "---\na: |\n  ---\n---\nx", "a: |\n  ---\n", 2, "x", 5],
  ["tabs", "---\na:\t1\n---\n\tx", "a:\t1\n", 2, "\tx", 4],
])("[DEF-01] front matter and body are cut at the fences: %s", (_, text, yaml, yamlLine, body, bodyLine) => {
  expect(splitFrontMatter(text).matter).toEqual({ yaml, yamlLine, body, bodyLine });
});

test.each([
  ["", "empty", 1],
  ["Just text\n", "no front matter", 1],
  ["---\nname: a\n", "never closed", 1],
  ["\n\n---\nname: a\n", "line 3 is never closed", 3],
  ["---\nname: a\n----\nBody", 'line 3 reads "----"', 1],
  ["---yaml\nname: a\n---\n", "more than ---", 1],
  ["name: a\n---\n", "without its opening", 1],
  ["+++\nname = 'a'\n+++\n", "TOML", 1],
  ['{"name": "a"}', "JSON", 1],
  ["```\n---\nname: a\n---\n```", "code fence", 1],
  ["---\u0000", "UTF-8", 1],
])("%j has no front matter, and the problem says why and what to do", (text, says, line) => {
  const { matter, problems } = splitFrontMatter(text);
  expect(matter).toBeUndefined();
  expect(problems[0]).toMatchObject({ path: "", line, column: 1 });
  expect(problems[0]?.message).toContain(says);
  expect(problems[0]?.fix).not.toBe("");
});

test("a definition that other readers reject is reported, though it is readable", () => {
  expect(splitFrontMatter("\uFEFF\n---\na: 1\n---\n\uFFFD").problems).toMatchObject([
    { code: "bom_present", line: 1 },
    { code: "text_not_utf8", line: 5 },
    { code: "document_malformed", line: 2 },
  ]);
});
