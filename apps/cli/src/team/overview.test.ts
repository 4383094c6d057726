import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOverviews as readAll } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import { test as base, expect } from "vitest";
import { age } from "../../../../scripts/age.ts";
import { paint } from "../paint.ts";
import { rootText } from "./overview-text.ts";

const sample = join(import.meta.dirname, "../../sample");
const test = base.extend<{ root: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the parameters of a fixture from its pattern
  root: async ({}, use) => {
    const root = mkdtempSync(join(tmpdir(), "troupe-"));
    cpSync(sample, root, { recursive: true });
    await use(root);
    rmSync(root, { recursive: true });
  },
});
const readRoot = (root: string) => readAll(openFileStore({ root }));
const readOverviews = async (root: string) => (await readRoot(root)).teams;
const show = async (root: string) => paint(rootText(await readRoot(root)), { columns: Infinity, hasColor: false });
const fold = (text: string) => text.replaceAll(/ +/g, " ");

test("the sample names every member, every task with its blockers and each unread count", async () => {
  const text = fold(await show(sample));
  for (const line of [
    "parser-team (revision 2026-02)",
    " team-lead (lead) team-lead 2 unread",
    " reader Explore tmux %14 idle 0 unread",
    " writer general-purpose tmux %15 working 1 unread",
    " checker general-purpose in-process 0 unread",
    " #1 completed reader List what cannot be parsed",
    " #2 completed writer Recover in calls",
    " #3 in_progress writer Recover in blocks",
    " #4 pending Fuzz the parser blocked by #3",
    " #5 pending Write the release note blocked by #3, #4",
    "session-b7f5edcc (revision 2026-11)",
    " team-lead (lead) team-lead in-process 1 unread",
    " alice general-purpose tmux %1 idle 0 unread",
    " #1 completed alice 翻译第一章",
    " #2 pending Read it once more",
  ]) {
    expect(text.split("\n")).toContain(line);
  }
});

test("a message that cannot be read is named with its file, and hides no other", async () => {
  expect(await show(sample)).toContain("teams/session-b7f5edcc/inboxes/team-lead.json: /0/timestamp is missing");
});

test("[ATP-FS-104] the remains of a deleted team, locks and temporary files are passed over", async ({ root }) => {
  const before = await show(root);
  cpSync(
    join(root, "teams/parser-team"),
    join(root, "teams/parser-team.deleted-c93b690c-0d1e-4a56-9f0a-d9451b749ac2"),
    { recursive: true },
  );
  mkdirSync(join(root, "tasks/parser-team/1.json.lock"));
  writeFileSync(join(root, "tasks/parser-team/6.json.tmp.ab12cd34"), "{");
  writeFileSync(join(root, "teams/parser-team/inboxes/reader.json.tmp.ab12cd34"), "[");
  expect(await show(root)).toBe(before);
});

test("[ATP-CFG-013] [ATP-TSK-111] a config or a task that does not parse is reported and hides nothing else", async ({
  root,
}) => {
  writeFileSync(join(root, "teams/parser-team/config.json"), "{ not json");
  writeFileSync(join(root, "tasks/parser-team/2.json"), '{"id":"2"');
  age(root);
  const text = await show(root);
  expect(text).toContain("teams/parser-team/config.json: not JSON at line 1, column 3");
  expect(text).toContain("tasks/parser-team/2.json: the text stops in the middle");
  for (const kept of ["session-b7f5edcc", "Recover in blocks", "2 unread"]) expect(text).toContain(kept);
});

test("[ATP-TSK-110] a task waits for a blocker that cannot be read, and for one that names it on its own side only", async ({
  root,
}) => {
  writeFileSync(join(root, "tasks/parser-team/3.json"), '{"id":"3","sta');
  age(root);
  expect(fold(await show(root))).toContain(" #4 pending Fuzz the parser blocked by #3");
  const task = { id: "9", subject: "s", description: "", status: "pending", blocks: ["5"], blockedBy: [] };
  writeFileSync(join(root, "tasks/parser-team/9.json"), JSON.stringify(task));
  expect(fold(await show(root))).toContain("Write the release note blocked by #3, #4, #9");
});

test("a pipe, a directory or nothing in the place of a file is reported, and holds up nobody", async ({ root }) => {
  rmSync(join(root, "teams/parser-team/config.json"));
  mkdirSync(join(root, "teams/parser-team/config.json"));
  mkdirSync(join(root, "teams/session-b7f5edcc/inboxes/dir.json"));
  execFileSync("mkfifo", [join(root, "tasks/parser-team/7.json")]);
  writeFileSync(join(root, "teams/README"), "not a team");
  const text = await show(root);
  expect(text).toContain("parser-team  (revision unknown)");
  expect(text).toContain("teams/parser-team/config.json: this is no regular file");
  for (const file of ["inboxes/dir.json", "parser-team/7.json"])
    expect(text).toContain(`${file}: this is no regular file`);
  expect(text).toContain("teams/README: this is no directory");
});

test("an unreadable entry, or one whose name cannot be a team's or an agent's, is reported and hides no other", async ({
  root,
}) => {
  symlinkSync("/nonexistent", join(root, "teams/dangling"));
  symlinkSync("loop", join(root, "teams/loop"));
  cpSync(join(root, "teams/parser-team"), join(root, "teams/a b"), { recursive: true });
  writeFileSync(join(root, "teams/parser-team/inboxes/no body.json"), "[]");
  mkdirSync(join(root, "teams/nothing"));
  rmSync(join(root, "teams/session-b7f5edcc/inboxes"), { recursive: true });
  writeFileSync(join(root, "teams/session-b7f5edcc/inboxes"), "");
  age(root);
  const text = await show(root);
  for (const named of [
    "teams/dangling: ",
    "teams/loop: ",
    "teams/a b: its name",
    "inboxes/no body.json: its name",
    "session-b7f5edcc/inboxes: this is no directory",
  ]) {
    expect(text).toContain(named);
  }
  for (const kept of ["Recover in blocks", "翻译第一章"]) expect(text).toContain(kept);
  expect(text).not.toContain("nothing");
});

test("text from files cannot control the terminal", async ({ root }) => {
  const task = {
    id: "9",
    subject: "\u001b[2J\u001b]0;owned\u0007 a\nb \u202egnp",
    description: "",
    status: "pending",
    blocks: [],
    blockedBy: [],
  };
  writeFileSync(join(root, "tasks/parser-team/9.json"), JSON.stringify(task));
  const text = await show(root);
  expect(text).not.toMatch(/[\u0007\u001b\u202e]/);
  expect(text.split("\n").filter((line) => line.includes("#9"))).toHaveLength(1);
});

test("a root without teams has none", async ({ root }) => {
  for (const kept of ["teams", "tasks"]) rmSync(join(root, kept), { recursive: true });
  expect(await readRoot(root)).toEqual({ teams: [], lists: [], problems: [] });
});

const write = (root: string, path: string, document: unknown) => {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), JSON.stringify(document));
};
const config = (name: string, more: object = {}) => ({
  name,
  createdAt: 1,
  leadAgentId: `boss@${name}`,
  members: [{ agentId: `boss@${name}`, name: "boss", agentType: "team-lead", tmuxPaneId: "" }],
  ...more,
});
const task = (id: string, more: object = {}) => ({
  id,
  subject: `task ${id}`,
  description: "",
  status: "pending",
  blocks: [],
  blockedBy: [],
  ...more,
});

test("teams stand in the order of their names, tasks in the order of their numbers", async ({ root }) => {
  rmSync(root, { recursive: true });
  for (const name of ["b", "d", "a", "c", "e"]) write(root, `teams/${name}/config.json`, config(name));
  for (const id of ["10", "9", "100", "1", "2"]) write(root, `tasks/a/${id}.json`, task(id));
  const overviews = await readOverviews(root);
  expect(overviews.map(({ team }) => team)).toEqual(["a", "b", "c", "d", "e"]);
  expect(overviews[0]?.tasks.map((one) => one.task.id)).toEqual(["1", "2", "9", "10", "100"]);
});

test("a team is read with what it is for, who leads it by whatever name, and where each member runs", async ({
  root,
}) => {
  rmSync(root, { recursive: true });
  const members = [
    { agentId: "team-lead@t", name: "team-lead" },
    { agentId: "boss@t", name: "boss", agentType: "team-lead", tmuxPaneId: "" },
    { agentId: "p@t", name: "p", backendType: "pane" },
  ];
  write(root, "teams/t/config.json", config("t", { description: "Read the code", members }));
  const [overview] = await readOverviews(root);
  expect(overview).toMatchObject({ team: "t", form: "2026-02", description: "Read the code", problems: [] });
  expect(overview?.members.map(({ member, isLead, backend }) => [member.name, isLead, backend])).toEqual([
    ["team-lead", false, undefined],
    ["boss", true, undefined],
    ["p", false, "tmux"],
  ]);
});

test("[ATP-CFG-001] [ATP-TSK-001] what says it is another team or another task is reported under its file", async ({
  root,
}) => {
  rmSync(root, { recursive: true });
  write(root, "teams/t/config.json", config("other"));
  write(root, "tasks/t/1.json", task("2"));
  const problems = (await readOverviews(root)).flatMap((overview) => overview.problems);
  expect(problems.map(({ file, path, code }) => [file, path, code])).toEqual([
    ["teams/t/config.json", "/name", "id_mismatched"],
    ["tasks/t/1.json", "/id", "id_mismatched"],
  ]);
});

test("a form between the revisions is told from the inboxes, of which only those of agents are read", async ({
  root,
}) => {
  rmSync(root, { recursive: true });
  const entry = { from: "a", text: "t", timestamp: "2026-02-13T10:45:20Z", type: "message" };
  write(root, "teams/t/config.json", config("t"));
  write(root, "teams/t/inboxes/boss.json", [
    { ...entry, read: false },
    { ...entry, read: true },
    { ...entry, read: false },
  ]);
  for (const other of ["boss.json.tmp.1", "boss.v2.json.lock", ".boss.json", "notes.txt"])
    write(root, `teams/t/inboxes/${other}`, "x");
  age(root);
  const [overview] = await readOverviews(root);
  expect(overview).toMatchObject({
    form: "between",
    mail: [{ agent: "boss", unread: 2, messages: [false, true, false].map((read) => ({ entry: { read } })) }],
    problems: [{ file: "teams/t/inboxes/.boss.json" }],
  });
});

test("[ATP-TSK-047] deleted tasks and bookkeeping are not listed, and open bookkeeping blocks nonetheless", async ({
  root,
}) => {
  rmSync(root, { recursive: true });
  write(root, "teams/t/config.json", config("t"));
  write(root, "tasks/t/1.json", task("1", { status: "deleted", blocks: ["3"] }));
  write(root, "tasks/t/2.json", task("2", { metadata: { _internal: true }, blocks: ["3"] }));
  write(root, "tasks/t/3.json", task("3", { blockedBy: ["1", "2"] }));
  write(root, "tasks/t/3.json.bak", task("4"));
  const [overview] = await readOverviews(root);
  expect(overview?.tasks.map((one) => [one.task.id, one.openBlockers])).toEqual([["3", ["2"]]]);
});

test("a file in the place of a directory holds nothing, and a file that cannot be reached is reported", async ({
  root,
}) => {
  rmSync(root, { recursive: true });
  write(root, "teams/t/config.json", config("t"));
  write(root, "teams/t/inboxes", "a file");
  write(root, "tasks/t", "a file");
  expect(await readOverviews(root)).toMatchObject([
    {
      mail: [],
      tasks: [],
      problems: [{ file: "teams/t/inboxes" }, { file: "tasks/t", message: "this is no directory" }],
    },
  ]);
  rmSync(join(root, "tasks/t"));
  mkdirSync(join(root, "tasks/t"));
  symlinkSync("1.json", join(root, "tasks/t/1.json"));
  expect(await readOverviews(root)).toMatchObject([
    { tasks: [], problems: [{ file: "teams/t/inboxes" }, { file: "tasks/t/1.json", message: "this is a link" }] },
  ]);
});

test("a file that leads nowhere or is too large to be a task is told apart from one that is empty", async ({
  root,
}) => {
  rmSync(root, { recursive: true });
  write(root, "teams/t/config.json", config("t"));
  write(root, "tasks/t/3.json", task("3"));
  truncateSync(join(root, "tasks/t/3.json"), 64 * 1024 * 1024 + 1);
  symlinkSync("nowhere", join(root, "tasks/t/2.json"));
  writeFileSync(join(root, "tasks/t/1.json"), "");
  age(root);
  const problems = (await readRoot(root)).teams.flatMap((overview) => overview.problems);
  expect(problems.map(({ file, message }) => [file, message])).toEqual([
    ["tasks/t/1.json", "the file is empty"],
    ["tasks/t/2.json", "this is a link"],
    ["tasks/t/3.json", "it has 67108865 bytes, more than 67108864"],
  ]);
});

test("a file in the place of all teams is reported, an empty directory that could be no team is not", async ({
  root,
}) => {
  rmSync(root, { recursive: true });
  mkdirSync(join(root, "teams/no team"), { recursive: true });
  expect(await readRoot(root)).toEqual({ teams: [], lists: [], problems: [] });
  rmSync(join(root, "teams"), { recursive: true });
  writeFileSync(join(root, "teams"), "a file");
  expect(await readRoot(root)).toMatchObject({
    teams: [],
    problems: [{ file: "teams", message: "this is no directory" }],
  });
});
