import fc from "fast-check";
import { expect, test } from "vitest";
import { amend, writeJson } from "./write-json.ts";

const order = ["id", "subject", "owner", "status", "metadata"];

test("an amended document keeps every key where it stood, also the unknown ones", () => {
  const document = { zeta: 1, id: "1", foreign: [1], status: "pending", last: null };
  expect(Object.keys(amend(order, document, { status: "completed" }))).toEqual(Object.keys(document));
  expect(Object.keys(amend(order, document, { owner: "alice", extra: 1 }))).toEqual([
    "zeta",
    "id",
    "owner",
    "foreign",
    "status",
    "last",
    "extra",
  ]);
});

test("an undefined value removes its key, and only that one", () => {
  expect(amend(order, { id: "1", owner: "alice" }, { owner: undefined })).toEqual({
    id: "1",
  });
});

test("a __proto__ key of a document or a patch is copied as a key", () => {
  const hostile = JSON.parse('{"id":"1","__proto__":{"polluted":true}}') as { id: string };
  const amended = amend(order, hostile, { id: "2" });
  expect(writeJson(amended)).toContain('"__proto__": {');
  expect(Object.getPrototypeOf(amended)).toBe(Object.prototype);
});

test("amending nothing is the identity", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (document) => {
      expect(writeJson(amend(order, document, {}))).toBe(writeJson(document));
    }),
  );
});

test("what is no document is refused with a clear error", () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  expect(() => writeJson(circular)).toThrow("cannot be written as JSON");
  expect(() => writeJson(undefined)).toThrow("there is no document to write");
});
