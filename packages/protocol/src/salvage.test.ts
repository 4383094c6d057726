import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { longList, salvage } from "./salvage.ts";

const Item = z.looseObject({ id: z.string(), size: z.number().optional() });
const Box = z.looseObject({
  name: z.string(),
  items: z.array(Item),
  owner: z.looseObject({ email: z.string() }).optional(),
});

test("a valid document is returned as the same object, not copied", () => {
  const raw = { name: "a", items: [{ id: "1" }], extra: [1] };
  expect(salvage(Box, raw)).toBe(raw);
});

test("an offending field is left out, and what cannot do without it goes with it", () => {
  const raw = {
    name: "a",
    items: [{ id: "1", size: "big" }, { size: 1 }, "x", { id: "4", more: true }],
    owner: { email: 5 },
  };
  const before = structuredClone(raw);
  expect(salvage(Box, raw)).toEqual({ name: "a", items: [{ id: "1" }, { id: "4", more: true }] });
  expect(raw).toEqual(before);
});

test("salvage returns nothing when a required field of the whole is invalid", () => {
  for (const raw of [{ items: [] }, { name: 1, items: [] }, { name: "a", items: {} }, [], null, "text", 5]) {
    expect(salvage(Box, raw)).toBeUndefined();
  }
});

test("whatever it is given, what it hands back satisfies the schema and nothing is polluted", () => {
  const arbitrary = fc.record(
    {
      name: fc.jsonValue(),
      items: fc.oneof(fc.array(fc.jsonValue()), fc.array(fc.record({ id: fc.jsonValue(), size: fc.jsonValue() }))),
      ["__proto__"]: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(arbitrary, (raw) => {
      const value = salvage(Box, raw);
      if (value !== undefined) expect(Box.safeParse(value).success).toBe(true);
      expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    }),
  );
});

test("fifty thousand bad elements among as many good ones are left out in one go", () => {
  const items = Array.from({ length: 100_000 }, (_, n) => (n % 2 ? { id: String(n) } : { id: n }));
  expect(salvage(Box, { name: "a", items })?.items).toHaveLength(50_000);
});

test("a fault in a vital field takes along what holds it", () => {
  const raw = { name: "a", items: [{ id: "1", size: "big" }, { id: "2" }] };
  expect(salvage(Box, raw, new Set(["size"]))).toEqual({ name: "a", items: [{ id: "2" }] });
  expect(salvage(Box, { name: "a", items: [], owner: { email: 5 } }, new Set(["owner"]))).toBeUndefined();
});

test("a vital field nested in another of the same name does not hide the outer one", () => {
  const Nested = z.looseObject({
    list: z.array(z.looseObject({ owner: z.looseObject({ owner: z.string() }).optional() })),
  });
  const raw = { list: [{ owner: { owner: 5 } }, { owner: { owner: "a" } }] };
  expect(salvage(Nested, raw, new Set(["owner"]))).toEqual({ list: [{ owner: { owner: "a" } }] });
});

test("faults side by side and in one another are left out together, what shares nothing with them is not copied", () => {
  const sound = { id: "2", size: 2 };
  const raw = { name: "a", items: [{ id: "1", size: "x", more: [1] }, sound, { id: 3, size: "y" }, null], owner: null };
  const value = salvage(Box, raw);
  expect(value).toEqual({
    name: "a",
    items: [
      { id: "1", more: [1] },
      { id: "2", size: 2 },
    ],
  });
  expect(value?.items[1]).toBe(sound);
  expect(raw.items).toHaveLength(4);
});

test("a key called __proto__ of what is copied stays a key, and what every object inherits is no field", () => {
  const raw = JSON.parse('{"__proto__":{"name":"x"},"name":"a","items":[],"owner":{"email":5}}');
  const value = salvage(Box, raw);
  expect(Object.keys(value ?? {})).toEqual(["__proto__", "name", "items"]);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(salvage(z.looseObject({ constructor: z.string() }), {})).toBeUndefined();
});

test("a list of ten thousand is taken, one more is reported, whichever field it is; a long text is no list", () => {
  const list = Array(10_000).fill(0);
  expect(longList({ a: list, b: "x".repeat(10_001), c: { length: 10_001 } })).toBeUndefined();
  expect(longList({ a: "x", b: list, c: [...list, 0] })).toEqual({
    path: "/c",
    code: "field_invalid",
    message: "/c has 10001 elements, more than 10000",
    fix: "remove from /c what does not belong there",
  });
  for (const none of [null, undefined, 5, "text", [], {}]) expect(longList(none)).toBeUndefined();
});
