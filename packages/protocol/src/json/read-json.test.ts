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

test("a written document reads back as the same value and bytes", () => {
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

const nested = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
const laidOut = (text: string) => writeJson(JSON.parse(text));

test("a thousand levels are written back, one more is read and left alone, in any layout", () => {
  for (const text of [nested(1_000), laidOut(nested(1_000))])
    expect(readJson(text)).toMatchObject({ problems: [], isWritable: true });
  for (const text of [nested(1_001), laidOut(nested(1_001))]) {
    expect(readJson(text)).toEqual({
      value: JSON.parse(text),
      isWritable: false,
      problems: [
        {
          path: "",
          code: "document_too_deep",
          message: "the document is nested 1001 levels deep; it is read, not rewritten",
          fix: "nest it no deeper than 1000 levels",
        },
      ],
    });
  }
});

test.each([
  ["in one line", '{"a":1,"b":[1,2],"a":2}'],
  ["in the client's lines", '{\n  "a": 1,\n  "b": [\n    1,\n    2\n  ],\n  "a": 2\n}'],
  ["in fewer lines than the client's", '{"a":1,"a":2,\n"b":[1,2]}'],
  ["in more lines than the client's", '{\n"a":1,\n"b":[\n1,\n2\n\n\n],\n"a":2\n}'],
  ["in lines with a blank one among them", '{\n\n"a":1,"a":2\n}'],
  ["behind empty values", '{"e":{},"f":[],\n"a":1,"a":2}'],
])("a key that stands twice is found %s", (_, text) => {
  expect(readJson(text)).toMatchObject({
    value: { a: 2 },
    isWritable: true,
    problems: [
      { path: "/a", code: "key_duplicated", message: "/a stands twice; the last one counts", fix: "keep one /a" },
    ],
  });
});

test.each(["9007199254740993", "-9007199254740993", "1e400", "-1e400", "12345678901234567890.5"])(
  "the number %s is found in any layout",
  (token) => {
    for (const text of [`{"a":[${token}]}`, `{\n  "a": [\n    ${token}\n  ]\n}`]) {
      expect(readJson(text), text).toMatchObject({
        isWritable: false,
        problems: [{ path: "/a/0", code: "number_unsafe" }],
      });
    }
    expect(readJson(token).problems).toEqual([
      {
        path: "",
        code: "number_unsafe",
        message: "the document is a number that a double cannot hold exactly; the document is read, not rewritten",
        fix: "write it as a string, or within ±(2^53 - 1)",
      },
    ]);
  },
);

test("numbers that a double holds are no problem, nor is null", () => {
  for (const text of ["9007199254740991", "-9007199254740991", "9007199254740992", "1e21", "0.1", "-0.5e-7", "null"])
    for (const laid of [`[${text}]`, `[\n  ${text}\n]`])
      expect(readJson(laid)).toMatchObject({ problems: [], isWritable: true });
});

test("a byte order mark is read over in text and in bytes, also before bytes that are not UTF-8", () => {
  const broken = new Uint8Array([0xef, 0xbb, 0xbf, ...bytes('["'), 0xff, ...bytes('"]')]);
  expect(readJson(broken)).toMatchObject({ value: ["\uFFFD"], isWritable: false });
  expect(codes(broken)).toEqual(["text_not_utf8", "bom_present"]);
  expect(readJson("\uFEFF[1]")).toMatchObject({ value: [1], isWritable: true, problems: [{ code: "bom_present" }] });
  expect(readJson("\uFEFF\uFEFF[1]")).toMatchObject({ value: undefined, isWritable: false });
});

test("text after a document does not make an unwritable one writable", () => {
  expect(readJson('{"a":9007199254740993}}')).toMatchObject({
    isWritable: false,
    problems: [{ code: "number_unsafe" }, { code: "document_torn", message: expect.stringContaining("at offset 22") }],
  });
  expect(readJson('{"a":1,"a":2}]')).toMatchObject({ value: { a: 2 }, isWritable: true });
  expect(codes('{"a":1,"a":2}]')).toEqual(["key_duplicated", "document_torn"]);
});

test.each([
  ["", "document_torn", "the file is empty", undefined],
  ['{"a":', "document_torn", "the text stops in the middle, at offset 5", undefined],
  ["{a}", "document_malformed", "not JSON at line 1, column 2 (offset 1)", "correct the text at line 1, column 2"],
  [
    "[\n\n  x]",
    "document_malformed",
    "not JSON at line 3, column 3 (offset 5)",
    "correct the text at line 3, column 3",
  ],
])(
  "a malformed text (%j) is reported with the position where it breaks off or goes wrong",
  (text, code, message, fix) => {
    expect(readJson(text)).toMatchObject({ value: undefined, isWritable: false, problems: [{ code, message }] });
    if (fix !== undefined) expect(readJson(text).problems).toMatchObject([{ fix }]);
  },
);

test("a file larger than any string is not read and is reported as too large", () => {
  const length = 256 * 1024 * 1024 + 1;
  expect(readJson(new Uint8Array(length))).toMatchObject({
    value: undefined,
    isWritable: false,
    problems: [{ path: "", code: "document_too_large", message: expect.stringContaining(`${length} bytes`) }],
  });
});

test("a file that fits into no string is refused with its size, before it is decoded", () => {
  const read = readJson(new Uint8Array(256 * 1024 * 1024 + 1));
  expect(read).toMatchObject({ value: undefined, isWritable: false, problems: [{ code: "document_too_large" }] });
});

test("what was read before is given back as it is", () => {
  const read = readJson('{"a":1,"a":2}');
  expect(readJson(read)).toBe(read);
  expect(readJson({ isWritable: true } as never)).toMatchObject({ problems: [{ code: expect.any(String) }] });
});
