import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test as base, describe, expect } from "vitest";
import { assetJson, assetPath } from "../assets.ts";
import type { Revision } from "../requirement.ts";
import type { CheckResult, ReportFooter } from "../result.ts";
import { gradeDirectory, revisionsIn } from "./grade.ts";

const test = base.extend<{ root: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the parameters of a fixture from its pattern
  root: async ({}, use) => {
    const root = mkdtempSync(join(realpathSync(tmpdir()), "conformance-grade-"));
    await use(root);
    rmSync(root, { recursive: true });
  },
});

type Tree = Readonly<Record<string, string>>;

/** With the mode that real clients give their files. */
function plant(root: string, tree: Tree): void {
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    chmodSync(join(root, path), 0o644);
  }
}

function grade(root: string, revision: Revision) {
  const lines = [...gradeDirectory({ root, revision, version: "0", now: () => new Date(0) })];
  const results = lines.filter((line): line is CheckResult => line.kind === "check");
  const named = (verdict: string) =>
    Object.fromEntries(results.filter((one) => one.verdict === verdict).map(({ check, message }) => [check, message]));
  return { revision, fail: named("fail"), warn: named("warn"), footer: lines.at(-1) as ReportFooter };
}

interface Verdict {
  readonly revision: Revision;
  readonly note?: string;
  readonly fail: Readonly<Record<string, string>>;
  readonly warn: Readonly<Record<string, string>>;
}

describe("files of real clients are judged as recorded beside them", () => {
  const verdicts = assetJson("fixtures/verdicts.json") as Readonly<Record<string, Verdict>>;
  const trees = readdirSync(assetPath("fixtures")).filter((name) => name !== "verdicts.json");

  test("every tree has a verdict", () => {
    expect(Object.keys(verdicts)).toEqual(trees.map((name) => name.replace(/\.json$/, "")));
  });

  test.for(Object.entries(verdicts))("%s", ([name, { note: _, ...expected }], { root }) => {
    plant(root, assetJson(`fixtures/${name}.json`) as Tree);
    const [revision = "2026-02", ...others] = revisionsIn(root);
    expect(others).toEqual([]);
    const { footer, ...found } = grade(root, revision);
    expect(found).toEqual(expected);
    expect(footer.exitCode).toBe(Object.keys(expected.fail).length > 0 ? 1 : 0);
  });
});

const config = (revision: Revision, changes: object = {}, lead: object = {}) => ({
  name: "t",
  createdAt: 1_770_535_107_409,
  leadAgentId: "team-lead@t",
  leadSessionId: "c93b690c-0d1e-4a56-9f0a-d9451b749ac2",
  members: [
    {
      agentId: "team-lead@t",
      name: "team-lead",
      agentType: "team-lead",
      joinedAt: 1_770_535_107_409,
      tmuxPaneId: revision === "2026-02" ? "" : "leader",
      cwd: "/p",
      subscriptions: [],
      ...(revision === "2026-02" ? { model: "m" } : { backendType: "in-process" }),
      ...lead,
    },
  ],
  ...changes,
});
const task = (changes: object = {}) => ({
  id: "1",
  subject: "s",
  description: "d",
  status: "pending",
  blocks: [],
  blockedBy: [],
  ...changes,
});
const entry = { from: "a", text: "t", timestamp: "2026-11-18T08:05:37.971Z", read: false };
const inbox = "teams/t/inboxes/a.json";

/** One fault each, with the rule that finds it; every rule that can fail is here. */
const faults: readonly (readonly [string, Revision, Readonly<Record<string, unknown>>])[] = [
  ["GRADE-FILE/a", "2026-02", { "tasks/t/1.json": `\uFEFF${JSON.stringify(task())}` }],
  ["GRADE-FILE/b", "2026-02", { "tasks/t/1.json": '{"id": "1"' }],
  ["GRADE-SCHEMA/a", "2026-02", { "teams/t/config.json": config("2026-02", {}, { color: 3 }) }],
  ["GRADE-SCHEMA/b", "2026-11", { [inbox]: [{ ...entry, summary: null }] }],
  ["GRADE-SCHEMA/c", "2026-11", { "tasks/t/1.json": task({ metadata: [] }) }],
  ["GRADE-LOCK/a", "2026-02", {}],
  ["GRADE-MARK/a", "2026-11", { "tasks/t/.highwatermark": "3\n" }],
  ["GRADE-TEAM/a", "2026-02", { "teams/t/config.json": '{"name": "t", "members": []}}' }],
  ["GRADE-TEAM/b", "2026-02", { "teams/t/config.json": config("2026-02", { name: "u" }) }],
  ["GRADE-TEAM/c", "2026-02", { "teams/t/config.json": config("2026-02", { createdAt: "2026" }) }],
  ["GRADE-TEAM/d", "2026-02", { "teams/t/config.json": config("2026-02", { leadAgentId: "boss@t" }) }],
  ["GRADE-TEAM/e", "2026-02", { "teams/t/config.json": config("2026-02", { leadSessionId: undefined }) }],
  ["GRADE-TEAM/f", "2026-02", { "teams/t/config.json": doubled() }],
  ["GRADE-MEMBER/a", "2026-02", { "teams/t/config.json": config("2026-02", {}, { agentId: "team-lead@u" }) }],
  ["GRADE-MEMBER/b", "2026-02", { "teams/t/config.json": config("2026-02", {}, { color: "blue" }) }],
  ["GRADE-MEMBER/d", "2026-02", { "teams/t/config.json": withMate({}) }],
  ["GRADE-MEMBER/f", "2026-02", { "teams/t/config.json": config("2026-02", {}, { joinedAt: 1.5 }) }],
  ["GRADE-MEMBER/g", "2026-02", { "teams/t/config.json": withMate({ backendType: "vm" }) }],
  ["GRADE-MEMBER/h", "2026-02", { "teams/t/config.json": withMate({ mode: "plan" }) }],
  ["GRADE-MEMBER/i", "2026-02", { "teams/t/config.json": withMate({ cwd: "src" }) }],
  ["GRADE-INBOX/a", "2026-11", { [inbox]: {} }],
  ["GRADE-INBOX/b", "2026-02", { [inbox]: [{ ...entry, read: undefined }] }],
  ["GRADE-INBOX/c", "2026-11", { [inbox]: [{ ...entry, text: 5 }] }],
  ["GRADE-INBOX/d", "2026-11", { [inbox]: [{ ...entry, timestamp: "yesterday" }] }],
  ["GRADE-INBOX/e", "2026-11", { [inbox]: [{ ...entry, read: true }] }],
  ["GRADE-MESSAGE/a", "2026-11", { [inbox]: [{ ...entry, text: '{"type":"shutdown_request","request_id":"x"}' }] }],
  ["GRADE-TASK/a", "2026-02", { "tasks/t/1.json": task({ id: 1 }) }],
  ["GRADE-TASK/b", "2026-02", { "tasks/t/1.json": task({ status: "done" }) }],
  ["GRADE-TASK/c", "2026-02", { "tasks/t/1.json": task({ blocks: undefined }) }],
  ["GRADE-TASK/d", "2026-11", { "tasks/t/1.json": task({ description: undefined }) }],
  ["GRADE-TASK/e", "2026-02", { "tasks/t/1.json": task({ owner: "alice@t" }) }],
  ["GRADE-TASK/f", "2026-02", { "tasks/t/1.json": task({ subject: null }) }],
  ["GRADE-TASK/g", "2026-02", { "tasks/t/1.json": task({ blockedBy: ["1"] }) }],
];

function doubled() {
  const { members, ...rest } = config("2026-02");
  return { ...rest, members: [...members, ...members] };
}

function withMate(changes: object) {
  const { members, ...rest } = config("2026-02");
  const mate = { agentId: "a@t", name: "a", tmuxPaneId: "in-process", backendType: "in-process", ...changes };
  return { ...rest, members: [...members, mate] };
}

test.for(faults)("%s finds its fault in %s", ([rule, revision, files], { root }) => {
  const tree = { "teams/t/config.json": config(revision), ...files };
  plant(
    root,
    Object.fromEntries(
      Object.entries(tree).map(([path, said]) => [path, typeof said === "string" ? said : JSON.stringify(said)]),
    ),
  );
  expect(Object.keys(grade(root, revision).fail)).toContain(rule);
});

test("a pipe or a device in place of a document is a violation, and blocks nothing", ({ root }) => {
  plant(root, { "teams/t/config.json": JSON.stringify(config("2026-02")), "tasks/t/1.json": "" });
  rmSync(join(root, "tasks/t/1.json"));
  execFileSync("mkfifo", [join(root, "tasks/t/1.json")]);
  symlinkSync("/dev/zero", join(root, "tasks/t/2.json"));
  const { fail } = grade(root, "2026-02");
  expect(fail["GRADE-FILE/b"]).toContain("tasks/t/1.json is no regular file, or larger than any document, and 1 more");
});

test("a directory without teams teaches nothing, and says so", ({ root }) => {
  expect(revisionsIn(root)).toEqual([]);
  expect(grade(root, "2026-02").footer).toMatchObject({ executed: 0, exitCode: 3 });
});
