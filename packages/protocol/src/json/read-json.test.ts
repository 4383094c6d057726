import fc from "fast-check";
import { expect, test } from "vitest";
import { readJson } from "./read-json.ts";
import { writeJson } from "./write-json.ts";

const codes = (input: string | Uint8Array) => readJson(input).problems.map(({ code }) => code);
const bytes = (text: string) => new TextEncoder().encode(text);

test("[ATP-FS-107] any layout is read, and none but the layout can differ from what is written back", () => {
  for (const text of ['{"a":1}', '{\n\t"a": 1\n}\n', ' { "a" : 1 } \r\n']) {
    expect(readJson(text)).toEqual({ value: { a: 1 }, problems: [], isWritable: true });
  }
  expect(writeJson({ a: [1] })).toBe('{\n  "a": [\n    1\n  ]\n}');
});

test("[ATP-FS-011] text outside ASCII survives a round trip, and a byte order mark is read over and reported", () => {
  const document = { name: "分析-团队", note: "🙂 \u2028 é e\u0301 \u0000", lone: "\ud800" };
  const text = writeJson(document);
  expect(readJson(bytes(text)).value).toEqual(document);
  expect(writeJson(readJson(text).value)).toBe(text);
  expect(text.startsWith("\uFEFF")).toBe(false);
  expect(readJson(bytes(`\uFEFF${text}`))).toMatchObject({
    value: document,
    isWritable: true,
    problems: [{ code: "bom_present" }],
  });
});

test("bytes that are not UTF-8 are shown as far as possible, reported, and never written back", () => {
  const read = readJson(new Uint8Array([...bytes('{"a":"'), 0xff, ...bytes('"}')]));
  expect(read).toMatchObject({ value: { a: "\uFFFD" }, isWritable: false, problems: [{ code: "text_not_utf8" }] });
});

test("[ATP-LCK-104] surplus bytes of a torn write are read as the document before them", () => {
  const read = readJson('{\n  "members": []\n}}');
  expect(read).toMatchObject({ value: { members: [] }, isWritable: true, problems: [{ code: "document_torn" }] });
  expect(readJson('[]"}]').value).toEqual([]);
});

test("a text that stops early is torn and has no value; one that is no JSON is malformed and says where", () => {
  expect(readJson('{"a":')).toMatchObject({
    value: undefined,
    isWritable: false,
    problems: [{ code: "document_torn" }],
  });
  expect(readJson("")).toMatchObject({ value: undefined, problems: [{ message: "the file is empty" }] });
  expect(readJson('{\n  "a": nope\n}').problems[0]).toMatchObject({
    code: "document_malformed",
    message: "not JSON at line 2, column 8 (offset 9)",
  });
});

test("an integer beyond 2^53 is reported with its place, and the document is not rewritten", () => {
  const read = readJson('{"id":"1","big":9007199254740993}');
  expect(read.isWritable).toBe(false);
  expect(read.problems).toMatchObject([{ path: "/big", code: "number_unsafe" }]);
  expect(codes('{"text":"9007199254740993"}')).toEqual([]);
});

test("a key that stands twice is reported, and the last value counts", () => {
  expect(readJson('{"read":false,"read":true}')).toMatchObject({
    value: { read: true },
    problems: [{ path: "/read", code: "key_duplicated" }],
    isWritable: true,
  });
});

test("a key called __proto__ stays an ordinary key and pollutes nothing", () => {
  const read = readJson('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  expect(writeJson(read.value)).toContain('"__proto__": {');
});

test("what was written reads back as the very same value and bytes", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = writeJson(value);
      const read = readJson(text);
      expect(read.problems).toEqual([]);
      expect(writeJson(read.value)).toBe(text);
    }),
  );
});

test("no text makes it throw, and every cut of a document is torn", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.uint8Array()), (input) => {
      expect(readJson(input).problems.every(({ message, fix }) => message && fix)).toBe(true);
    }),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (document, at) => {
      const text = writeJson(document);
      expect(codes(text.slice(0, at % text.length))).toContain("document_torn");
    }),
  );
});

test("a document nested a hundred thousand levels deep is read, and refused clearly when it cannot be written", () => {
  const deep = readJson("[".repeat(100_000) + "]".repeat(100_000));
  expect(deep.value).toBeDefined();
  expect(() => writeJson(deep.value)).toThrow(expect.objectContaining({ code: "document_unwritable" }));
});
