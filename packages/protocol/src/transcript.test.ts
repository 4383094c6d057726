import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  AssistantLine,
  escapeProjectPath,
  isLine,
  parseTranscript,
  SummaryLine,
  SystemLine,
  UserLine,
} from "./transcript.ts";

const user = {
  type: "user",
  uuid: "u1",
  parentUuid: null,
  message: { role: "user", content: "hi" },
  origin: { kind: "human" },
};
const assistant = {
  type: "assistant",
  uuid: "u2",
  parentUuid: "u1",
  isSidechain: true,
  agentId: "a4b20af6e91c3d7f0",
  message: { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Bash", input: {} }], id: "msg_1" },
};
const boundary = {
  type: "system",
  subtype: "compact_boundary",
  compactMetadata: { trigger: "auto", preTokens: 155000 },
};
const summary = { type: "summary", summary: "Greeting", leafUuid: "u2" };
const own = { type: "troupe", format: 1 };
const unknown = { type: "file-history-snapshot", message: "no message object" };

const jsonl = (...lines: unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

test("every kind of line is read as it stands, also the kinds that are not known", () => {
  const lines = [user, assistant, boundary, summary, own, unknown];
  expect(parseTranscript(jsonl(...lines))).toEqual({ lines, problems: [] });
});

test("a line says what it is", () => {
  const [first, , third] = parseTranscript(jsonl(user, assistant, boundary)).lines;
  expect(first && isLine(first, "user") && first.message.content).toBe("hi");
  expect(third && isLine(third, "system") && third.compactMetadata?.preTokens).toBe(155000);
  expect(third && isLine(third, "assistant")).toBe(false);
});

test("a byte order mark, blank lines and carriage returns do no harm", () => {
  const text = `\uFEFF${JSON.stringify(user)}\r\n\r\n   \n${JSON.stringify(own)}`;
  expect(parseTranscript(text)).toEqual({ lines: [user, own], problems: [] });
});

test("a torn last line is reported by its number and takes nothing with it", () => {
  expect(parseTranscript(`${jsonl(user)}\n${JSON.stringify(assistant).slice(0, 40)}`)).toMatchObject({
    lines: [user],
    problems: [{ path: "/3", code: "document_torn" }],
  });
});

test("bad lines in the middle are left out, each reported by its number", () => {
  const text = `${jsonl(user)}{"type":\n[1]\nnull\n"user"\n${jsonl({ uuid: "x" }, { type: "user" }, { ...assistant, cwd: 1 }, own)}`;
  const { lines, problems } = parseTranscript(text);
  expect(lines).toEqual([user, own]);
  expect(problems.map(({ path, code }) => [path, code])).toEqual([
    ["/2", "document_malformed"],
    ["/3", "field_invalid"],
    ["/4", "field_invalid"],
    ["/5", "field_invalid"],
    ["/6/type", "field_missing"],
    ["/7/message", "field_missing"],
    ["/8/cwd", "field_invalid"],
  ]);
});

test("a field called __proto__ is kept and changes nothing", () => {
  const text = '{"type":"troupe","__proto__":{"polluted":true}}\n{"type":"__proto__"}\n{"type":"constructor"}\n';
  const { lines, problems } = parseTranscript(text);
  expect(problems).toEqual([]);
  expect(lines.map((line) => `${JSON.stringify(line)}\n`).join("")).toBe(text);
  expect(Object.getPrototypeOf(lines[0])).toBe(Object.prototype);
});

test("whatever the lines are, the good ones come back in order and the bad ones are counted", () => {
  const good = fc.constantFrom(user, assistant, boundary, summary, own, unknown);
  const line = fc.oneof(
    good.map((value) => ({ text: JSON.stringify(value), value })),
    fc
      .string()
      .filter((text) => !isJson(text))
      .map((text) => ({ text: text.replaceAll("\n", " "), value: undefined })),
  );
  fc.assert(
    fc.property(fc.array(line), (found) => {
      const { lines, problems } = parseTranscript(found.map(({ text }) => `${text}\n`).join(""));
      expect(lines).toEqual(found.flatMap(({ value }) => value ?? []));
      expect(problems).toHaveLength(
        found.filter(({ text, value }) => value === undefined && text.trim() !== "").length,
      );
    }),
  );
});

test("no text makes reading throw", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.json())), (parts) => {
      parseTranscript(parts.join("\n"));
    }),
  );
});

test.each([
  ["/home/dev/project", "-home-dev-project"],
  ["/tmp/peers/s70-2.1.118/proj", "-tmp-peers-s70-2-1-118-proj"],
  ["/home/dev/my_app v2", "-home-dev-my-app-v2"],
  ["/tmp/프로젝트", "-tmp-----"],
  ["/..", "---"],
  ["", ""],
])("the directory of %j is %j", (path, expected) => {
  expect(escapeProjectPath(path)).toBe(expected);
});

test.each([
  ["UserLine", UserLine],
  ["AssistantLine", AssistantLine],
  ["SystemLine", SystemLine],
  ["SummaryLine", SummaryLine],
])("the example of %s is valid", (_, schema) => {
  expect(z.tuple([schema]).safeParse(z.toJSONSchema(schema, { io: "input" })["examples"]).success).toBe(true);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
