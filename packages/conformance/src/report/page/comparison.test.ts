import { expect, test } from "vitest";
import { elementTree, named } from "../../../test/element-tree.ts";
import { comparison, diff } from "./comparison.ts";
import { type Markup, textOf } from "./markup.ts";

const rows = (made: Markup | undefined) =>
  named(elementTree(made ? textOf(made) : ""), "span")
    .filter(({ text }) => text.endsWith("\n"))
    .map(({ text }) => text.trimEnd());

const long = "x".repeat(80);

const sides = (made: Markup | undefined) =>
  named(elementTree(made ? textOf(made) : ""), "pre").map(({ attributes, text }) => [attributes["class"], text]);

test("short values stand side by side", () => {
  expect(sides(comparison(160, 157))).toEqual([
    ["wanted", "160"],
    ["found", "157"],
  ]);
  expect(sides(comparison("a file", undefined))).toEqual([["wanted", "a file"]]);
  expect(sides(comparison(undefined, ""))).toEqual([["found", ""]]);
  expect(comparison(undefined, undefined)).toBeUndefined();
});

test("a value beside words, or alone, is shown whole", () => {
  const reply = { outcome: "fail", error: { name: "notFound", message: long } };
  expect(sides(comparison("a result", reply))).toEqual([
    ["wanted", "a result"],
    ["found", JSON.stringify(reply, null, 2)],
  ]);
  expect(sides(comparison(undefined, [long]))).toEqual([["found", JSON.stringify([long], null, 2)]]);
});

test("documents are compared by what was asked of them, and the rest is counted", () => {
  const actual = { id: "1", subject: "grammar", owner: "bob", status: "pending", blocks: ["2"] };
  expect(rows(comparison({ owner: "alice", blocks: ["2"], id: "1" }, actual))).toEqual([
    "  {",
    '−   "owner": "alice"',
    '+   "owner": "bob"',
    '    "blocks": [',
    '      "2"',
    "    ]",
    "⋯ 3 lines",
  ]);
  const near = rows(comparison({ owner: "alice" }, { ...actual, owner: "b".repeat(80) }));
  expect(near).toContain('    "…": "4 more, not asked about"');
});

test("a value that satisfies an operator is no difference, and another is", () => {
  const asked = { id: { $match: "^\\d+$" }, status: { $oneOf: ["pending", "completed"] }, n: { $type: "integer" } };
  const found = rows(comparison({ ...asked, long }, { id: "1", status: "gone", n: 1, long }));
  expect(found.filter((line) => line.startsWith("+"))).toEqual(['+   "status": "gone"']);
  expect(found).toContain('    "id": "1"');
});

test("a field that is missing, and one element too many, are differences of one line", () => {
  expect(
    rows(comparison({ a: [1, 2], b: 1, long }, { a: [1, 2, 3], long })).filter((line) => /^[−+]/.test(line)),
  ).toEqual(["+     3", '−   "b": 1']);
});

test("an operator that makes no sense does not stop the page", () => {
  const found = rows(comparison({ id: { $match: "(" }, name: { $oneOf: 7 } }, { id: "1", name: "n", long }));
  expect(found).toContain('+   "id": "1"');
});

test("values of different kinds are shown whole", () => {
  const found = rows(comparison({ keys: ["a", "b"], lacks: ["c"] }, { x: 1, text: "y".repeat(80) }));
  expect(found.filter((line) => line.startsWith("+"))).toHaveLength(2);
});

test("texts are compared as they are, with the commas at the ends of their lines", () => {
  expect(rows(diff("a,\nb", "a\nb", ["before", "after"]))).toEqual(["− a,", "+ a", "  b"]);
});
