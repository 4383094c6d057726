import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { salvage } from "./salvage.ts";

const Item = z.looseObject({ id: z.string(), size: z.number().optional() });
const Box = z.looseObject({
  name: z.string(),
  items: z.array(Item),
  owner: z.looseObject({ email: z.string() }).optional(),
});

test("what is sound is handed back as it is, not copied", () => {
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

test("when the whole cannot do without a field there is nothing to hand back", () => {
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
