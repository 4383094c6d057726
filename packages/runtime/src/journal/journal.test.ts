import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { escapeProjectPath, parseTranscript, TroupeError } from "@troupe/protocol";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { answerOf, called, input, result, said, toolUse, words } from "../../test/entries.ts";
import { entriesIn, identity, openTranscript, prefix } from "../../test/rehearsal.ts";
import { scratch } from "../../test/scratch.ts";
import { bytesOf, prefixHashes } from "../model/frozen.ts";
import { planMarks } from "../model/marks.ts";
import type { Entry } from "./entry.ts";
import { type Journal, openJournal } from "./journal.ts";
import { conversationOf } from "./state.ts";

const usage = { input: 1, cacheRead: 2, cacheWrite5m: 3, cacheWrite1h: 4, output: 5 };
const thinking = { type: "thinking", thinking: "\u2028 é \ud83d\ude00", signature: "c2ln+/=" };
const odd = { text: "type comes last", "10": 1, "9": [{ b: 1, a: 2 }], type: "text" };

/** One entry of every kind, in an order that can happen. */
const everyKind: readonly Entry[] = [
  { kind: "prefix", prefix },
  { kind: "input", input: { id: "i1", priority: "now", origin: { kind: "human" }, content: [odd] } },
  { kind: "said", content: [odd], inputs: ["i1"] },
  { kind: "asked", result: "a1" },
  { kind: "failed", failure: { kind: "overloaded", message: "busy", retryAfterMs: 3 }, during: "answer" },
  { kind: "asked", result: "a2" },
  {
    kind: "answered",
    answer: answerOf([thinking, words("I look"), toolUse("t1", "Look", { "2": 1, "1": 2, "\ud800": "x" })], { usage }),
  },
  called("t1", true),
  result("t1"),
  { kind: "compacted", summary: "s", trigger: "overflow", preTokens: 7, usage },
  { kind: "said", content: [words("go on")], inputs: [] },
  { kind: "asked", result: "a3" },
  { kind: "answered", answer: answerOf([thinking, words("done")], { usage }) },
  { kind: "stop_checked", verdict: { stops: false, because: "red" } },
  { kind: "stop_checked", verdict: { stops: true } },
  { kind: "aborted", reason: "shutdown" },
  { kind: "ended", terminal: { isOk: false, why: "aborted", text: "", reason: "shutdown" } },
  input("i2", "later"),
];

const ids: Partial<Record<number, string>> = { 6: "a2", 12: "a3" };
const write = (journal: Journal, entries: readonly Entry[]) =>
  entries.map((entry, at) => journal.append(entry, ids[at]));

function requestOf(journal: Journal) {
  const state = journal.state();
  const messages = conversationOf(state);
  const marks = planMarks({ messages, sentEnd: state.sentEnd, isContinued: true });
  return { ...(state.prefix ?? prefix), messages, marks, maxTokens: 1 };
}

const file = () => join(scratch(), "projects", escapeProjectPath("/home/dev/app"), "s1.jsonl");

test("[STORE-02] after any entry, a journal that is opened again has the same state and would send the same bytes", () => {
  for (let count = 0; count <= everyKind.length; count += 1) {
    const path = file();
    const journal = openTranscript(path);
    write(journal, everyKind.slice(0, count));
    const again = openTranscript(path);
    expect(again.state(), `after ${count}`).toEqual(journal.state());
    expect(bytesOf(requestOf(again)), `after ${count}`).toBe(bytesOf(requestOf(journal)));
    expect(prefixHashes(requestOf(again)).at(-1)).toBe(prefixHashes(requestOf(journal)).at(-1));
    expect(again.problems).toEqual([]);
    expect(readFileSync(path, "utf8").split("\n")).toHaveLength(count + 2);
  }
});

test("an entry of every kind is read as it was written", () => {
  const path = file();
  const written = write(openTranscript(path), everyKind);
  const read = entriesIn(path).slice(1);
  expect(read.map(({ kind }) => kind)).toEqual(written.map(({ kind }) => kind));
  expect(read).toMatchObject(written);
});

test("[STORE-02] a transcript is read by whoever reads the reference client's: every line says which, when and of which session", () => {
  const path = file();
  write(openTranscript(path), everyKind);
  const { lines, problems } = parseTranscript(readFileSync(path, "utf8"));
  expect(problems).toEqual([]);
  expect(new Set(lines.map(({ uuid }) => uuid)).size).toBe(everyKind.length + 1);
  for (const line of lines) {
    expect(line["sessionId"]).toBe("s1");
    expect(new Date(String(line["timestamp"])).toISOString()).toBe(line["timestamp"]);
  }
  const talk = lines.filter(({ type }) => type !== "troupe");
  expect(talk.map(({ type }) => type)).toEqual(["user", "assistant", "user", "system", "user", "assistant"]);
  expect(talk.map((line) => line["parentUuid"])).toEqual([null, ...talk.map(({ uuid }) => uuid).slice(0, -1)]);
  expect(talk[1]).toMatchObject({ isSidechain: false, userType: "external", cwd: "/p", version: "test" });
  expect(talk[1]?.["message"]).toMatchObject({
    role: "assistant",
    stop_reason: "tool_use",
    usage: { input_tokens: 1, output_tokens: 5 },
  });
});

test("[UI-04] the lines of a subagent's transcript are a sidechain's, with its id, and it can be gone on with", () => {
  const path = join(scratch(), "s1", "subagents", "agent-a1b2.jsonl");
  const open = () =>
    openJournal({
      path,
      identity: { ...identity, agentId: "a1b2", gitBranch: "main" },
      now: () => new Date(0),
      newId: () => "n",
    });
  const journal = open();
  write(journal, [said("go", "i1")]);
  expect(parseTranscript(readFileSync(path, "utf8")).lines[1]).toMatchObject({
    isSidechain: true,
    agentId: "a1b2",
    gitBranch: "main",
  });
  expect(open().state()).toEqual(journal.state());
  expect(conversationOf(open().state())).toHaveLength(1);
});

test("a transcript is for its owner's eyes", () => {
  const path = file();
  openTranscript(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
});

describe("a file that was damaged", () => {
  const lineCount = 8;
  const whole = () => {
    const path = file();
    write(openTranscript(path), everyKind.slice(0, lineCount));
    return { path, lines: readFileSync(path, "utf8").split("\n").slice(0, -1) };
  };

  test("at its end is gone on with, and the next line is not glued to the torn one", () => {
    const { path, lines } = whole();
    const text = `${lines.join("\n")}\n`;
    fc.assert(
      fc.property(fc.nat(text.length), (at) => {
        writeFileSync(path, text.slice(0, at));
        const journal = openTranscript(path);
        journal.append(said("more", "i9"));
        const again = openTranscript(path);
        expect(again.state()).toEqual(journal.state());
        expect(conversationOf(again.state()).at(-1)?.blocks.at(-1)).toContain("more");
        expect(again.problems.length).toBeLessThanOrEqual(1);
        journal.close();
        again.close();
      }),
      { numRuns: 40 },
    );
  });

  test("in its middle loses the lines that are hurt and no other, and says which", () => {
    for (let at = 0; at < lineCount; at += 1) {
      const { path, lines } = whole();
      const hurt = lines.map((line, number) => (number === at ? line.slice(0, line.length / 2) : line));
      writeFileSync(path, `${hurt.join("\n")}\n`);
      const journal = openTranscript(path);
      expect(journal.problems.map(({ path }) => path)).toEqual([`/${at + 1}`]);
      expect(entriesIn(path)).toHaveLength(lineCount);
    }
  });

  test("by anything at all does not keep it from being opened and gone on with", () => {
    const { path, lines } = whole();
    const garbage = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.json(),
      fc.constantFrom('{"type":"troupe","kind":"answered"}', '{"type":"user"}', "\0\0"),
    );
    fc.assert(
      fc.property(fc.shuffledSubarray(lines), fc.array(garbage), (kept, added) => {
        writeFileSync(path, [...added, ...kept, ...added].join("\n"));
        const journal = openTranscript(path);
        journal.append(said("more", "i9"));
        expect(openTranscript(path).state()).toEqual(journal.state());
      }),
      { numRuns: 40 },
    );
  });

  test("in the words of ours is passed over, field by field", () => {
    const { path } = whole();
    const before = openTranscript(path).state();
    const broken = [
      { kind: "input", input: { id: 1 } },
      { kind: "called" },
      { kind: "aborted" },
      { kind: "new kind" },
      {},
    ];
    appendFileSync(path, broken.map((own) => `${JSON.stringify({ type: "troupe", ...own })}\n`).join(""));
    expect(openTranscript(path).state()).toEqual(before);
  });
});

test("a disk that is full is reported, the entry did not happen, and the next one is not glued to what is left of it", () => {
  const path = file();
  const journal = openTranscript(path);
  journal.append(said("before", "i1"));
  const before = journal.state();
  const limit = (bytes: string) => execFileSync("prlimit", ["--pid", String(process.pid), `--fsize=${bytes}:`]);
  const ignore = () => {};
  process.on("SIGXFSZ", ignore);
  onTestFinished(() => void process.off("SIGXFSZ", ignore));
  limit(String(statSync(path).size + 20));
  try {
    expect(() => journal.append(said("lost", "i2"))).toThrow(TroupeError);
    expect(() => journal.append(said("lost as well", "i3"))).toThrow(
      expect.objectContaining({ code: "document_unwritable", details: { path } }),
    );
  } finally {
    limit("unlimited");
  }
  expect(journal.state()).toBe(before);
  journal.append(said("after", "i4"));
  const again = openTranscript(path);
  expect(again.problems).toHaveLength(1);
  expect(again.state()).toEqual(journal.state());
  expect(conversationOf(again.state())[0]?.blocks.map((block) => JSON.parse(block).text)).toEqual(["before", "after"]);
});

test("a journal that cannot be begun is refused with its place and the reason, in Troupe's own words", () => {
  const folder = join(scratch(), "folder");
  writeFileSync(folder, "");
  const path = join(folder, "agent.jsonl");
  expect(() => openTranscript(path)).toThrow(
    expect.objectContaining({
      code: "document_unwritable",
      details: { path },
      message: expect.stringContaining(`${path} cannot be opened to write the conversation: E`),
    }),
  );
});
