import { expect, test } from "vitest";
import { z } from "zod";
import { capped, type Problem, pointer, problemsOf } from "./problems.ts";

const found = (schema: z.ZodType, value: unknown, at?: readonly PropertyKey[]): Problem[] => {
  const read = schema.safeParse(value);
  return read.error ? problemsOf(read.error, value, at) : [];
};
const said = (schema: z.ZodType, value: unknown) => found(schema, value).map(({ message, fix }) => [message, fix]);
const field = (of: z.ZodType) => z.looseObject({ a: of });

test("a place is a JSON Pointer in which every ~ and / of a key is escaped", () => {
  expect(pointer([])).toBe("");
  expect(pointer(["a", 0, "b/c/d", "~e~", "~1"])).toBe("/a/0/b~1c~1d/~0e~0/~01");
});

test("a missing value is reported differently from a wrong one, for a field and for the whole", () => {
  expect(found(field(z.string()), {})).toEqual([
    { path: "/a", code: "field_missing", message: "/a is missing", fix: "add /a, a string" },
  ]);
  expect(found(field(z.string()), { a: null })).toEqual([
    { path: "/a", code: "field_invalid", message: "/a is null, not a string", fix: "make /a a string" },
  ]);
  expect(said(z.string(), undefined)).toEqual([["the document is missing", "add the document, a string"]]);
  expect(said(z.string(), 5)).toEqual([["the document is 5, not a string", "make the document a string"]]);
});

test("a place is told as it stands in the document, of which the value is a part", () => {
  expect(found(field(z.string()), { a: 5 }, ["members", 3])).toMatchObject([
    { path: "/members/3/a", message: "/members/3/a is 5, not a string" },
  ]);
  expect(found(z.string(), 5, [7])).toMatchObject([{ path: "/7", message: "/7 is 5, not a string" }]);
  expect(found(field(z.array(z.string())), { a: ["x", 5] })).toMatchObject([{ path: "/a/1" }]);
});

test("a field that every object inherits is missing until it is the object's own", () => {
  expect(said(z.looseObject({ constructor: z.string() }), {})).toEqual([
    ["/constructor is missing", "add /constructor, a string"],
  ]);
});

test.each<[string, unknown, string]>([
  ["nothing", null, "null"],
  ["an array", [1, 2], "an array"],
  ["an object", { b: 1 }, "an object"],
  ["a truth", true, "true"],
  ["a text of just as many", "x".repeat(58), `"${"x".repeat(58)}"`],
  ["one more", "x".repeat(59), `"${"x".repeat(59)}…`],
  ["many more", "x".repeat(1000), `"${"x".repeat(59)}…`],
])("a wrong value is shown in at most sixty characters: %s", (_, value, shown) => {
  expect(said(field(z.date()), { a: value })).toEqual([[`/a is ${shown}, not a date`, "make /a a date"]]);
});

test.each<[string, z.ZodType, unknown, string]>([
  ["a type with its article", z.boolean(), 5, "a boolean"],
  ["a type that begins with a vowel", z.array(z.string()), 5, "an array"],
  ["each value that would do", z.enum(["on", "off"]), 5, '"on" or "off"'],
  ["the only value that would do", z.literal("on"), 5, '"on"'],
  ["the pattern", z.string().regex(/^x$/), "y", "a string like /^x$/"],
  ["the words that stand with a pattern", z.string().regex(/^x$/, { error: "the letter x" }), "y", "the letter x"],
  ["the format where there is no pattern", z.url(), "y", "a string like url"],
  ["the least", z.number().min(3), 1, "at least 3"],
  ["the most", z.array(z.number()).max(1), [1, 2], "at most 1"],
])("a problem names the expected value: %s", (_, schema, value, wanted) => {
  const [[message, fix] = []] = said(field(schema), { a: value });
  expect(message?.endsWith(`, not ${wanted}`), message).toBe(true);
  expect(fix).toBe(`make /a ${wanted}`);
});

test("a rule without words of ours is told in those of zod", () => {
  expect(said(field(z.strictObject({})), { a: { b: 1 } })).toEqual([
    ["/a is an object", 'make /a satisfy: Unrecognized key: "b"'],
  ]);
});

const [A, B] = [z.looseObject({ x: z.string(), y: z.string() }), z.looseObject({ x: z.string(), z: z.string() })];

test.each<[string, z.ZodType, unknown, string[]]>([
  ["with the fewest faults", z.union([A, B]), { z: "s" }, ["/a/x"]],
  ["that comes first of two alike", z.union([A, B]), { x: "s" }, ["/a/y"]],
  ["of the right kind, though it has more faults", z.union([z.string(), A]), {}, ["/a/x", "/a/y"]],
  [
    "of a union in a union",
    z.union([z.string(), z.looseObject({ u: z.union([z.string(), B]) })]),
    { u: { z: "s" } },
    ["/a/u/x"],
  ],
  ["none, where none can be told", z.discriminatedUnion("t", [z.object({ t: z.literal("x") })]), { t: "y" }, ["/a/t"]],
])("the problems of a union are those of the branch %s", (_, schema, value, paths) => {
  expect(found(field(schema), { a: value }).map(({ path }) => path)).toEqual(paths);
});

test("a report has a hundred problems, and then how many there are more", () => {
  const many = (count: number): Problem[] =>
    Array.from({ length: count }, (_, n) => ({ path: `/${n}`, code: "field_invalid", message: "m", fix: "f" }));
  const omitted = (left: number) => ({
    path: "",
    code: "problems_omitted",
    message: `there are ${left} more problems`,
    fix: "fix these first",
  });
  expect(capped(many(100))).toEqual(many(100));
  expect(capped(many(101))).toEqual([...many(100), omitted(1)]);
  expect(capped(many(250))).toEqual([...many(100), omitted(150)]);
  expect(capped(many(100), 7)).toEqual([...many(100), omitted(7)]);
});
