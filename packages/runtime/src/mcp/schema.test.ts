import { describe, expect, test } from "vitest";
import { boundedValidator, checkOf } from "./schema.ts";

/** The fault of an input; throws for a schema that is none. */
function faultIn(schema: object, input: unknown): string | undefined {
  const check = checkOf({ type: "object", ...schema });
  if ("problem" in check) throw new Error(check.problem);
  return check.faultOf(input);
}

const conditional = JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]}}') as object;
const either = { oneOf: [{ required: ["a"] }, { required: ["b"] }] };
const tree = {
  $ref: "#/$defs/tree",
  $defs: { tree: { properties: { left: { $ref: "#/$defs/tree" }, leaf: { type: "integer" } } } },
};

describe("an input is held to the schema of its server", () => {
  test.each<[string, object, unknown, RegExp]>([
    ["what is required is missing", { required: ["a"] }, {}, /required/],
    ["a type is another", { properties: { a: { type: "string" } } }, { a: 1 }, /#\/a: .*string/],
    ["it is no object", {}, [], /object/],
    ["something is too much", { properties: {}, additionalProperties: false }, { a: 1 }, /a/],
    ["both of two that exclude each other", either, { a: 1, b: 1 }, /oneOf|exactly one/i],
    ["it is wrong behind a reference", tree, { left: { left: { leaf: "x" } } }, /leaf/],
    ["a condition does not hold", conditional, { a: 1 }, /b/],
    ["a pattern does not fit", { properties: { a: { pattern: "^x+$" } } }, { a: "y" }, /pattern/],
    [
      "a schema of draft 7 says so",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        definitions: { d: { type: "string" } },
        properties: { a: { items: [{ $ref: "#/definitions/d" }] } },
      },
      { a: [1] },
      /string/,
    ],
  ])("%s", (_, schema, wrong, words) => {
    expect(faultIn(schema, wrong)).toMatch(words);
  });

  test.each<[string, object, unknown]>([
    ["either of two", either, { b: 1 }],
    ["a tree", tree, { left: { left: { leaf: 1 } } }],
    ["what no keyword speaks of", { "x-order": [1], properties: { a: { "x-hint": { type: 7 } } } }, { a: 1, z: 2 }],
    [
      "a property that is called like a keyword",
      { properties: { pattern: { type: "string" }, type: { const: "x" } } },
      { pattern: "(", type: "x" },
    ],
    [
      "a pattern in the dialect of another language",
      { properties: { a: { pattern: "(?i)^x$" }, b: { pattern: "^[\\w-.]$" } } },
      { a: "anything", b: "!" },
    ],
  ])("%s fits", (_, schema, right) => {
    expect(faultIn(schema, right)).toBeUndefined();
  });

  test("the schema that the model is shown stays as it was", () => {
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/a" } },
      $defs: { a: { type: "string", pattern: "(?i)x" } },
    };
    const before = JSON.stringify(schema);
    Object.freeze(schema.properties.a);
    expect(faultIn(schema, { a: 1 })).toMatch(/string/);
    expect(JSON.stringify(schema)).toBe(before);
  });
});

const nested = (depth: number) => JSON.parse(`${'{"not":'.repeat(depth)}{}${"}".repeat(depth)}`) as object;

test.each<[string, object, RegExp]>([
  ["of a type that there is not", { properties: { a: { type: "text" } } }, /not valid: (.|\n)*a/],
  ["whose properties are a list", { properties: [] }, /not valid/],
  ["whose required is a word", { required: "a" }, /not valid/],
  ["with a choice of nothing", { anyOf: [] }, /not valid/],
  ["longer than any", { description: "x".repeat(70_000) }, /longer than 65536/],
  ["nested deeper than it can be read", nested(9_000), /cannot be used|not valid/],
])("a schema %s is a problem in words", (_, schema, words) => {
  expect(checkOf({ type: "object", ...schema })).toEqual({ problem: expect.stringMatching(words) });
});

test.each<[string, object, unknown]>([
  [
    "an expression that would take for ever",
    { properties: { a: { pattern: "^(a+)+$" } } },
    { a: `${"a".repeat(60)}!` },
  ],
  ["a name by an expression that would", { patternProperties: { "^(a+)+$": {} } }, { [`${"a".repeat(60)}!`]: 1 }],
  ["a reference that leads to itself", { $ref: "#" }, {}],
  ["a reference that leads nowhere", { properties: { a: { $ref: "#/$defs/none" } } }, { a: 1 }],
  ["a reference to another machine", { properties: { a: { $ref: "http://127.0.0.1:9/x" } } }, { a: 1 }],
])("%s ends, and the input counts as one that does not fit", (_, schema, input) => {
  expect(faultIn(schema, input)).toMatch(/could not be checked against the server's schema/);
});

test("results are held to theirs by the same engine", () => {
  const check = boundedValidator.getValidator({
    type: "object",
    properties: { a: { type: "string", pattern: "^(a+)+$" } },
  });
  expect(check({ a: "aa" })).toMatchObject({ valid: true, data: { a: "aa" } });
  expect(check({ a: 1 })).toMatchObject({ valid: false, errorMessage: expect.stringContaining("string") });
  expect(check({ a: `${"a".repeat(60)}!` })).toMatchObject({
    valid: false,
    errorMessage: expect.stringContaining("250 ms"),
  });
});
