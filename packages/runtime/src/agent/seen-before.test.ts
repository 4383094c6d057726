import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { human, openTranscript, play, rehearse } from "../../test/rehearsal.ts";
import { scratch } from "../../test/scratch.ts";
import { workbench } from "../../test/workbench.ts";
import { conversationOf } from "../journal/state.ts";
import { scriptedModel } from "../model/scripted.ts";
import { recallSeen } from "./seen-before.ts";
import { createSeenFiles } from "./seen-files.ts";

type Files = Readonly<Record<string, string>>;
type Call = readonly [name: string, input: object];

/**
 * An agent makes calls, its process ends, something happens to its files, and another process opens
 * its transcript.
 */
async function reopened(files: Files, calls: readonly Call[], meanwhile: Files = {}) {
  const cwd = scratch();
  const write = (all: Files) => {
    for (const [name, text] of Object.entries(all)) writeFileSync(join(cwd, name), text);
  };
  write(files);
  const path = join(cwd, "s.jsonl");
  const script = [...calls.map(([name, input], at) => [toolUse(`t${at}`, name, input)]), [words("done")]];
  const { tools, agent } = workbench({ cwd });
  const rehearsal = rehearse({ path, model: scriptedModel(script), tools, agent, inbox: [human("i1")] });
  expect((await play(rehearsal)).terminal).toMatchObject({ isOk: true });
  rehearsal.ports.journal.close();
  write(meanwhile);
  const journal = openTranscript(path);
  const seen = createSeenFiles();
  const bench = workbench({ cwd, seen });
  await recallSeen(seen, conversationOf(journal.state()), { cwd, home: cwd });
  journal.close();
  return { ...bench, file: (name: string) => join(cwd, name) };
}

const read = (file_path: string, more: object = {}): Call => ["Read", { file_path, ...more }];
const edit = (file_path: string, old_string: string, new_string: string, more: object = {}): Call => [
  "Edit",
  { file_path, old_string, new_string, ...more },
];
const change = { content: "new\n" };

test.each<[string, Files, readonly Call[]]>([
  ["was read", { a: "one\ntwo\n" }, [read("a")]],
  ["was read and has no end of its last line", { a: "one\ntwo" }, [read("a")]],
  ["was read and has carriage returns", { a: "one\r\ntwo\r\n" }, [read("a")]],
  ["was read by another path", { a: "one\n" }, [read("./b/../a")]],
  ["was written", {}, [["Write", { file_path: "a", content: "one\n" }]]],
  ["was read and changed", { a: "one\r\ntwo\r\nthree\r\n" }, [read("a"), edit("a", "one\ntwo", "1\n$&\n2")]],
  ["was changed in all places", { a: "x y x\n" }, [read("a"), edit("a", "x", "z", { replace_all: true })]],
  ["was read whole, then in part", { a: "one\ntwo\n" }, [read("a"), read("a", { offset: 2 })]],
])("a file that %s can be changed after a restart", async (_, files, calls) => {
  const { call } = await reopened(files, calls);
  expect(await call("Write", { file_path: "a", ...change })).toMatchObject({ isError: false });
});

test.each<[string, Files, readonly Call[], Files]>([
  ["has another line", { a: "one\n" }, [read("a")], { a: "one\ntwo\n" }],
  ["has another letter", { a: "one\n" }, [read("a")], { a: "One\n" }],
  ["was changed after it was written", {}, [["Write", { file_path: "a", content: "one\n" }]], { a: "two\n" }],
  ["was changed back", { a: "one\n" }, [read("a"), edit("a", "one", "two")], { a: "one\n" }],
  ["was shown in part", { a: "one\ntwo\n" }, [read("a", { limit: 1 })], {}],
  ["was shown from its middle", { a: "one\ntwo\n" }, [read("a", { offset: 2 })], {}],
  ["was never shown", { a: "one\n", b: "one\n" }, [read("b")], {}],
  ["has a line that was cut", { a: `${"x".repeat(3_000)}\n` }, [read("a")], {}],
  ["could not be written", { a: "one\n" }, [["Write", { file_path: "a", content: "one\n" }]], {}],
  ["was listed by something else", { a: "one\n" }, [["Bash", { command: "cat -n a", file_path: "a" }]], {}],
])("a file that %s is read again after a restart, before it is changed", async (_, files, calls, meanwhile) => {
  const { call, file } = await reopened(files, calls, meanwhile);
  const before = readFileSync(file("a"), "utf8");
  const { isError, text } = await call("Write", { file_path: "a", ...change });
  expect([isError, text]).toEqual([true, expect.stringContaining("has not been read yet")]);
  expect(readFileSync(file("a"), "utf8")).toBe(before);
});

test("a file that is gone, and one that is a directory now, keep nothing from going on", async () => {
  const { call } = await reopened({ b: "two\n" }, [
    ["Write", { file_path: "d/a", content: "one\n" }],
    read("b"),
    ["Bash", { command: "rm d/a; mkdir d/a" }],
  ]);
  expect(await call("Write", { file_path: "b", ...change })).toMatchObject({ isError: false });
});
