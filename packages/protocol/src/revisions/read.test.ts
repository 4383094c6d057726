import { expect, test } from "vitest";
import type { Codec } from "./codec.ts";
import { codecFor } from "./detect.ts";
import { revisions } from "./revision.ts";

const each = revisions.map((revision) => [revision, codecFor(revision)] as const);
const timestamp = "2026-02-13T10:45:20Z";
const entry = { from: "a", text: "t", timestamp, read: false };
const task = { id: "1", subject: "s", description: "d", status: "pending", blocks: [], blockedBy: [] };
const team = { name: "t", createdAt: 1, leadAgentId: "a@t", members: [{ agentId: "a@t", name: "a" }] };

const kinds: [
  string,
  object,
  (codec: Codec, text: string) => ReturnType<Codec["readTask" | "readTeam" | "readInbox"]>,
][] = [
  ["team", team, (codec, text) => codec.readTeam(text, "t")],
  ["task", task, (codec, text) => codec.readTask(text, "1")],
  ["inbox", [entry], (codec, text) => codec.readInbox(text)],
];
const cases = kinds.flatMap(([kind, document, read]) =>
  each.map(([revision, codec]) => ({ revision, kind, document, read: (text: string) => read(codec, text) })),
);

test.each(cases)("$revision: of a $kind that is cut off nothing is said but that it is torn", ({ document, read }) => {
  const found = read(JSON.stringify(document).slice(0, -1));
  expect(found.raw).toBeUndefined();
  expect(found.isWritable).toBe(false);
  expect(found.problems).toMatchObject([{ path: "", code: "document_torn" }]);
});

test.each(cases)(
  "$revision: a $kind with a number that a rewrite would change is read and not writable",
  ({ document, read }) => {
    const text = JSON.stringify(document);
    const faulty = text.replace(
      /([{[])/,
      Array.isArray(document) ? "[[9007199254740993]," : '{"big":9007199254740993,',
    );
    expect(read(text)).toMatchObject({ isWritable: true, problems: [] });
    const found = read(faulty);
    expect(found).toMatchObject({ isWritable: false, raw: JSON.parse(faulty) });
    expect(found.problems[0]).toMatchObject({ code: "number_unsafe" });
  },
);

test.each(cases)(
  "$revision: what a $kind says twice is reported before what is wrong with it",
  ({ document, read }) => {
    const text = JSON.stringify(document)
      .replace(/\{/, '{"x":1,"x":2,')
      .replace(timestamp, "yesterday")
      .replace('"1"', '"x"')
      .replace('"a@t"', '"a"');
    const [first, second] = read(text).problems;
    expect(first).toMatchObject({ code: "key_duplicated" });
    expect(second).toMatchObject({ code: "field_invalid" });
  },
);

test.each(each)(
  "%s: what is sound is handed out as the very object that was read, unknown fields in their place",
  (_, codec) => {
    const foundTeam = codec.readTeam(JSON.stringify({ zeta: 1, ...team }), "t");
    expect(foundTeam.value).toBe(foundTeam.raw);
    const foundTask = codec.readTask(JSON.stringify({ zeta: 1, ...task }), "1");
    expect(foundTask.value).toBe(foundTask.raw);
    const inbox = codec.readInbox(JSON.stringify([{ zeta: 1, ...entry }]));
    expect(inbox.entries[0]).toBe(inbox.raw?.[0]);
  },
);

test.each(each)("%s: an inbox that is no array has nothing that a rewrite could start from", (_, codec) => {
  expect(codec.readInbox('{"0":1}')).toEqual({
    entries: [],
    positions: [],
    raw: undefined,
    isWritable: false,
    problems: [
      {
        path: "",
        code: "field_invalid",
        message: "an inbox is an array of messages",
        fix: "keep a copy, then write [] in its place",
      },
    ],
  });
});

test.each(each)("%s: each of three strings makes an element a message, and none of them can be missing", (_, codec) => {
  for (const key of ["from", "text", "timestamp"]) {
    for (const bad of [undefined, null, 5, ["x"]]) {
      const read = codec.readInbox(JSON.stringify([{ ...entry, [key]: bad }, entry]));
      expect([read.entries, read.positions], key).toEqual([[entry], [1]]);
      expect(read.problems).toMatchObject([{ path: `/0/${key}` }]);
    }
  }
});

test.each(each)("%s: beyond a hundred problems messages are delivered and faults counted", (_, codec) => {
  const bad = { text: "from nobody", timestamp, read: false };
  const elements = [...Array(99).fill(bad), entry, ...Array(11).fill(bad), entry, { ...entry, color: 5 }, null, entry];
  const read = codec.readInbox(JSON.stringify(elements));
  expect(read.positions).toEqual([99, 111, 112, 114]);
  expect(read.entries).toEqual([entry, entry, entry, entry]);
  expect(read.problems).toHaveLength(101);
  expect(read.problems.at(99)).toMatchObject({ path: "/100/from" });
  expect(read.problems.at(100)).toMatchObject({ code: "problems_omitted", message: "there are 12 more problems" });
});

test.each(each)("%s: a document's report is cut as well, and its problems stand in their order", (_, codec) => {
  const members = Array(150).fill({ name: "a" });
  const read = codec.readTeam(JSON.stringify({ ...team, members }), "t");
  expect(read.problems).toHaveLength(101);
  expect(read.problems.at(-1)).toMatchObject({ code: "problems_omitted" });
});

test.each(each)("%s: a list that is nobody's is refused with its length, in its document only", (_, codec) => {
  const ids = Array.from({ length: 10_000 }, (_, n) => String(n + 1));
  expect(codec.readTask(JSON.stringify({ ...task, blocks: ids }), "1").problems).toEqual([]);
  const text = JSON.stringify({ ...task, blocks: [...ids, "1"] }).replace("{", '{"x":1,"x":2,');
  const read = codec.readTask(text, "1");
  expect(read).toMatchObject({ value: undefined, raw: JSON.parse(text), isWritable: true });
  expect(read.problems.map(({ path, code, message }) => [path, code, message])).toEqual([
    ["/x", "key_duplicated", "/x stands twice; the last one counts"],
    ["/blocks", "field_invalid", "/blocks has 10001 elements, more than 10000"],
  ]);
});

test.each(each)(
  "[ATP-TSK-001] %s: a task of another id is told where it would belong, beside its other faults",
  (_, codec) => {
    const read = codec.readTask(JSON.stringify({ ...task, subject: 5 }), "2");
    expect(read.value).toBeUndefined();
    expect(read.problems).toMatchObject([
      { path: "/subject" },
      { path: "/id", code: "id_mismatched", message: '/id is "1", but the file is 2.json', fix: 'make /id "2"' },
    ]);
    expect(codec.readTask('"x"', "2").problems).toMatchObject([{ path: "", code: "field_invalid" }]);
  },
);

test.each(each)("%s: a team that does not say when it began or who leads it is read, and told so", (_, codec) => {
  const read = codec.readTeam('{"name":"t","members":[]}', "t");
  expect(read.value).toEqual({ name: "t", members: [] });
  expect(read.problems.map(({ path, code }) => [path, code])).toEqual([
    ["/createdAt", "field_missing"],
    ["/leadAgentId", "field_missing"],
  ]);
});
