import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, expect } from "vitest";
import { readOverviews } from "./overview.ts";
import { renderOverview } from "./render.ts";

const sample = join(import.meta.dirname, "../sample");
const test = base.extend<{ root: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the parameters of a fixture from its pattern
  root: async ({}, use) => {
    const root = mkdtempSync(join(tmpdir(), "troupe-"));
    cpSync(sample, root, { recursive: true });
    await use(root);
    rmSync(root, { recursive: true });
  },
});
const show = (root: string) => readOverviews(root).map(renderOverview).join("\n\n");
const fold = (text: string) => text.replaceAll(/ +/g, " ");

test("the sample names every member, every task with its blockers and each unread count", () => {
  const text = fold(show(sample));
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

test("a message that cannot be read is named with its file, and hides no other", () => {
  expect(show(sample)).toContain("teams/session-b7f5edcc/inboxes/team-lead.json: /0/timestamp is missing");
});

test("[ATP-FS-104] the remains of a deleted team, locks and temporary files are passed over", ({ root }) => {
  const before = show(root);
  cpSync(
    join(root, "teams/parser-team"),
    join(root, "teams/parser-team.deleted-c93b690c-0d1e-4a56-9f0a-d9451b749ac2"),
    { recursive: true },
  );
  mkdirSync(join(root, "tasks/parser-team/1.json.lock"));
  writeFileSync(join(root, "tasks/parser-team/6.json.tmp.ab12cd34"), "{");
  writeFileSync(join(root, "teams/parser-team/inboxes/reader.json.tmp.ab12cd34"), "[");
  expect(show(root)).toBe(before);
});

test("[ATP-CFG-013] [ATP-TSK-111] a config or a task that does not parse is reported and hides nothing else", ({
  root,
}) => {
  writeFileSync(join(root, "teams/parser-team/config.json"), "{ not json");
  writeFileSync(join(root, "tasks/parser-team/2.json"), '{"id":"2"');
  const text = show(root);
  expect(text).toContain("teams/parser-team/config.json: not JSON at line 1, column 3");
  expect(text).toContain("tasks/parser-team/2.json: the text stops in the middle");
  for (const kept of ["session-b7f5edcc", "Recover in blocks", "2 unread"]) expect(text).toContain(kept);
});

test("[ATP-TSK-110] a task waits for a blocker that cannot be read, and for one that names it on its own side only", ({
  root,
}) => {
  writeFileSync(join(root, "tasks/parser-team/3.json"), '{"id":"3","sta');
  expect(fold(show(root))).toContain(" #4 pending Fuzz the parser blocked by #3");
  const task = { id: "9", subject: "s", description: "", status: "pending", blocks: ["5"], blockedBy: [] };
  writeFileSync(join(root, "tasks/parser-team/9.json"), JSON.stringify(task));
  expect(fold(show(root))).toContain("Write the release note blocked by #3, #4, #9");
});

test("a pipe, a directory or nothing in the place of a file is reported, and holds up nobody", ({ root }) => {
  rmSync(join(root, "teams/parser-team/config.json"));
  mkdirSync(join(root, "teams/session-b7f5edcc/inboxes/dir.json"));
  execFileSync("mkfifo", [join(root, "tasks/parser-team/7.json")]);
  writeFileSync(join(root, "teams/README"), "not a team");
  const text = show(root);
  expect(text).toContain("parser-team  (revision unknown)");
  expect(text).toContain("teams/parser-team/config.json: there is no such file");
  for (const file of ["inboxes/dir.json", "parser-team/7.json"])
    expect(text).toContain(`${file}: this is no regular file`);
  expect(text).not.toContain("README");
});

test("what a stranger wrote cannot steer the terminal", ({ root }) => {
  const task = {
    id: "9",
    subject: "\u001b[2J\u001b]0;owned\u0007 a\nb \u202egnp",
    description: "",
    status: "pending",
    blocks: [],
    blockedBy: [],
  };
  writeFileSync(join(root, "tasks/parser-team/9.json"), JSON.stringify(task));
  const text = show(root);
  expect(text).not.toMatch(/[\u0007\u001b\u202e]/);
  expect(text.split("\n").filter((line) => line.includes("#9"))).toHaveLength(1);
});

test("a root without teams has none", ({ root }) => {
  rmSync(join(root, "teams"), { recursive: true });
  expect(readOverviews(root)).toEqual([]);
});
