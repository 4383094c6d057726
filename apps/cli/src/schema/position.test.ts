import { expect, test } from "vitest";
import { positionOf } from "./position.ts";

const text = `{
  "name": "t",
  "a/b~c": { "x": [1, {"y": "}"}, [2, 3]] },
  "members": [
    { "name": "a", "key\\"": null },
    { "name": "b" }
  ]
}`;

test.each([
  ["", 1, 1],
  ["/name", 2, 11],
  ["/a~1b~0c", 3, 12],
  ["/a~1b~0c/x/0", 3, 20],
  ["/a~1b~0c/x/1/y", 3, 29],
  ["/a~1b~0c/x/2/1", 3, 39],
  ["/members/0", 5, 5],
  ['/members/0/key"', 5, 29],
  ["/members/1/name", 6, 15],
])("%j stands in line %d, column %d", (pointer, line, column) => {
  expect(positionOf(text, pointer)).toEqual({ line, column });
});

test.each([
  ["/members/1/agentId", 6, 5],
  ["/members/9", 4, 14],
  ["/nothing/at/all", 1, 1],
  ["/name/0", 2, 11],
])(
  "a pointer to a missing value (%j) gives the position of the nearest parent: line %d, column %d",
  (pointer, line, column) => {
    expect(positionOf(text, pointer)).toEqual({ line, column });
  },
);

test("a text that is no JSON, or too long for a careless pattern, breaks nothing", () => {
  for (const broken of ["", "{", '{"a', "]]", '{"a" "b"}', "\\"]) expect(positionOf(broken, "/a/0")).toBeDefined();
  const long = JSON.stringify({ text: "x\\".repeat(4_000_000), after: 1 });
  expect(positionOf(long, "/after")).toEqual({ line: 1, column: long.length - 1 });
});
