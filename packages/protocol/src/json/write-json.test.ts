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
  expect(amend(order, { id: "1", owner: "alice" }, { owner: undefined })).toStrictEqual({ id: "1" });
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

test("a value that is not a document is refused with a clear error", () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  expect(() => writeJson(circular)).toThrow("cannot be written as JSON");
  expect(() => writeJson(undefined)).toThrow("there is no document to write");
});

test("a new key stands behind the last of those that the order puts before it, an unknown one at the end", () => {
  const keysOf = (document: object, patch: object) => Object.keys(amend(order, document, patch)).join(" ");
  expect(keysOf({ status: 1, x: 1 }, { id: 1 })).toBe("id status x");
  expect(keysOf({ id: 1, x: 1, subject: 1, y: 1, status: 1 }, { owner: 1 })).toBe("id x subject owner y status");
  expect(keysOf({ id: 1, y: 1 }, { metadata: 1, status: 1, owner: 1 })).toBe("id owner status metadata y");
  expect(keysOf({ id: 1, status: 1 }, { z: 1, a: 1 })).toBe("id status z a");
});

test("a patch changes what it names, with null as a value, and leaves the document as it was", () => {
  const document = Object.freeze({ id: "1", owner: "a", status: "pending" });
  const patch = { owner: null, status: undefined, gone: undefined };
  expect(amend(order, document, patch)).toStrictEqual({ id: "1", owner: null });
  expect(amend(order, { constructor: 1 }, {})).toEqual({ constructor: 1 });
  expect(document).toEqual({ id: "1", owner: "a", status: "pending" });
});

test("a document that cannot be written is refused with the reason, and is written without a line break at its end", () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  expect(() => writeJson(circular)).toThrow(
    expect.objectContaining({ code: "document_unwritable", cause: expect.any(TypeError) }),
  );
  for (const none of [undefined, () => 1]) {
    expect(() => writeJson(none)).toThrow(
      expect.objectContaining({ code: "document_unwritable", message: "there is no document to write" }),
    );
  }
  expect(writeJson([])).toBe("[]");
});
