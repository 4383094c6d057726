import { expect, test } from "vitest";
import { differences, partAt } from "./match.ts";

/** What is expected, what it takes, and what it does not. */
const rows: readonly (readonly [string, unknown, unknown, unknown])[] = [
  ["a value", 1, 1, "1"],
  ["nothing", { $absent: true }, undefined, null],
  ["some of the fields", { a: 1 }, { a: 1, b: 2 }, { b: 2 }],
  ["a field of an object's own", { constructor: "x" }, { constructor: "x" }, {}],
  ["as many elements", [{ a: 1 }], [{ a: 1, b: 2 }], [{ a: 1 }, {}]],
  ["elements in order", [1, 2], [1, 2], [2, 1]],
  ["exactly", { $exactly: { a: [1] } }, { a: [1] }, { a: [1], b: 2 }],
  ["an integer", { $type: "integer" }, 3, 3.5],
  ["an array", { $type: "array" }, [], {}],
  ["a pattern", { $match: "^a+$" }, "aaa", "b"],
  ["anything", { $any: true }, null, undefined],
  ["not", { $not: [] }, [1], []],
  ["one of", { $oneOf: [1, { a: 1 }] }, { a: 1, b: 2 }, 2],
  ["an element among others", { $includes: { id: "2" } }, [{ id: "1" }, { id: "2" }], [{ id: "1" }]],
  ["a part of a text", { $includes: "b" }, "abc", "ac"],
  ["several elements", { $includesAll: [1, 3] }, [3, 2, 1], [1, 2]],
  ["each element", { $each: { a: 1 } }, [{ a: 1 }, { a: 1 }], [{ a: 1 }, {}]],
  ["names once, folded", { $unique: "name" }, [{ name: "a" }, { name: "b" }], [{ name: "a" }, { name: "A" }]],
  ["a length", { $length: 2 }, ["a", "b"], ["a"]],
];

test.each(rows)("%s", (_, expected, right, wrong) => {
  expect(differences(expected, right)).toEqual([]);
  expect(differences(expected, wrong)).not.toEqual([]);
});

test("a difference says where it is, what is there and what was expected", () => {
  expect(differences({ a: [{ b: 1 }] }, { a: [{ b: 2 }] })).toEqual(["/a/0/b is 2, expected 1"]);
});

test("a pointer finds a part, from the end as well, and nothing where there is none", () => {
  const document = { a: [{ b: 1 }, { b: 2 }] };
  expect(["", "/a/1/b", "/a/-1/b", "/a/5", "/x/y"].map((pointer) => partAt(document, pointer))).toEqual([
    document,
    2,
    2,
    undefined,
    undefined,
  ]);
});
