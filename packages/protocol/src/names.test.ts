import fc from "fast-check";
import { expect, test } from "vitest";
import type { z } from "zod";
import { isTroupeError } from "./errors.ts";
import { agentMemory, agentOutput, layoutOf, lockOf, taskIdOf, worktree } from "./layout.ts";
import {
  AgentName,
  agentName,
  deletedTeamName,
  isAgentName,
  isTaskId,
  isTeamName,
  nameKey,
  sessionTeamName,
  TaskId,
  TeamName,
  taskId,
  teamName,
  worktreeSlug,
} from "./names.ts";

const hostile = [
  "",
  ".",
  "..",
  "../x",
  "a/../../x",
  "/etc/passwd",
  "C:\\x",
  "a\\b",
  "a/b",
  "a\0b",
  "a\nb",
  "~",
  "~root",
  ".hidden",
  "a..b",
  "a.",
  "-rf",
  "a b",
  "*",
  "a@b",
  'a"b',
  "con|prn",
  "a".repeat(65),
  "团".repeat(65),
  "\ud800",
];

test.each(hostile)("[ATP-FS-006] %j names no team, no agent and no path", (text) => {
  const layout = layoutOf("/root");
  for (const attempt of [
    () => layout.team(text),
    () => layout.team("ok").inbox(text),
    () => layout.team("ok").task(text),
    () => layout.deletedTeam(text, "uuid"),
    () => agentName(text),
  ]) {
    expect(attempt).toThrow(expect.objectContaining({ code: "name_invalid" }));
  }
});

test("[ATP-FS-006] whatever text a name is, its paths stay below the team's own directories", () => {
  const layout = layoutOf("/root");
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), (team, agent) => {
      try {
        const paths = layout.team(team);
        for (const path of [paths.config, paths.inbox(agent)]) {
          expect(path.startsWith(`/root/teams/${team}/`)).toBe(true);
          expect(
            path.split("/").some((part) => (part === "" || part === "." || part === ".." ? part !== "" : false)),
          ).toBe(false);
        }
        expect(team).not.toMatch(/[/\\\0]|^\.|\.\./);
      } catch (error) {
        expect(isTroupeError(error)).toBe(true);
      }
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  "analysis-team",
  "e132a923-0d1e-4a56-9f0a-d9451b749ac2",
  "session-b7f5edcc",
  "v1.2",
  "团队",
  "Ünïcode_9",
  "😀",
])("[ATP-FS-007] [TEAM-14] %j is a team's name", (text) => {
  expect(isTeamName(text)).toBe(true);
  expect(isAgentName(text)).toBe(true);
  expect(teamName(text)).toBe(text);
});

const uuid = "e132a923-0d1e-4a56-9f0a-d9451b749ac2";
const control = [...Array(33).keys(), ...Array.from({ length: 33 }, (_, n) => 0x7f + n)];
const forbidden = [...control.map((code) => String.fromCharCode(code)), ...'"*/:<>?@\\|'];

test.each<[string, (char: string) => string]>([
  ["alone", (char) => char],
  ["at its beginning", (char) => `${char}a`],
  ["in the middle", (char) => `a${char}b`],
  ["at its end", (char) => `a${char}`],
  ["after a dot", (char) => `a.${char}`],
  ["further on after a dot", (char) => `a.b${char}c`],
])("[ATP-FS-006] no separator, wildcard, quote or control character stands in a name, not even %s", (_, put) => {
  for (const text of forbidden.map(put)) {
    expect([isTeamName(text), isAgentName(text)], JSON.stringify(text)).toEqual([false, false]);
    for (const schema of [TeamName, AgentName])
      expect(schema.safeParse(text).success, JSON.stringify(text)).toBe(false);
  }
});

test("a name begins with none of - _ ~ and the dot, which may follow, and has as many dotted parts as it likes", () => {
  for (const text of ["-a", "_a", "~a", ".a"]) {
    expect([isTeamName(text), TeamName.safeParse(text).success], text).toEqual([false, false]);
  }
  for (const text of ["a-b_c~d", "a.b-c.d_e.f~g", "a", "7"]) {
    expect([isTeamName(text), TeamName.safeParse(text).success], text).toEqual([true, true]);
  }
});

test("a name has no character that shows nothing or turns the text around it, wherever it stands", () => {
  for (const char of ["\u200b", "\u200f", "\u2028", "\u202e", "\u2060", "\u2069", "\ufeff"]) {
    for (const text of [char, `a${char}b`])
      expect(isTeamName(text) || isAgentName(text), JSON.stringify(text)).toBe(false);
  }
});

test("a name has at most 64 characters, not units, and at most 200 bytes", () => {
  for (const text of ["a".repeat(64), "团".repeat(64), "😀".repeat(50)]) expect(isTeamName(text), text).toBe(true);
  for (const text of ["a".repeat(65), "😀".repeat(51), `${"😀".repeat(50)}a`])
    expect(isTeamName(text), text).toBe(false);
  expect(TeamName.safeParse("😀".repeat(64)).success).toBe(true);
  expect(TeamName.safeParse("a".repeat(65)).success).toBe(false);
});

test("[ATP-TSK-001] a task's id has 1 to 15 decimal digits and no leading zero", () => {
  for (const text of ["1", "42", "999999999999999"]) expect(taskId(text)).toBe(text);
  for (const text of ["", "0", "01", "1000000000000000", " 1", "1 ", "1\n", "x1", "1x", "-1", "\u0661"]) {
    expect(isTaskId(text), JSON.stringify(text)).toBe(false);
  }
});

test("a schema that refuses a name or an id says what would do, in words and not as a pattern", () => {
  const wordsOf = (schema: z.ZodType, text: string) =>
    schema.safeParse(text).error?.issues.map(({ message }) => message);
  const rule = 'a name of 1 to 64 letters, digits, "-", "_" and single dots that begins with a letter or digit';
  for (const schema of [TeamName, AgentName])
    for (const text of ["a b", "a".repeat(65)]) expect(wordsOf(schema, text)).toEqual([rule]);
  expect(wordsOf(TaskId, "01")).toEqual(["1 to 15 decimal digits without a leading zero"]);
});

test.each<[(text: string) => string, string, string]>([
  [teamName, "a b", '"a b" does not name a team: use a name of 1 to 64 letters'],
  [agentName, "a b", '"a b" does not name an agent: use a name of 1 to 64 letters'],
  [taskId, "01", '"01" is not a task id: use 1 to 15 decimal digits'],
  [worktreeSlug, "a b", '"a b" is not a worktree name: use at most 64 letters'],
])("%o refuses %j with what was given and what to give", (make, text, words) => {
  expect(() => make(text)).toThrow(
    expect.objectContaining({ code: "name_invalid", details: { name: text }, message: expect.stringContaining(words) }),
  );
});

test("[ATP-FS-104] only a whole UUID at the end makes remains, and an agent may be called like them", () => {
  expect(() => deletedTeamName("t", "../x")).toThrow(
    expect.objectContaining({ code: "id_invalid", details: { uuid: "../x" } }),
  );
  for (const no of ["t.deleted-e132a923", `t.deleted-${uuid}.v2`, `t.deleted-${uuid}0`, `t-deleted-${uuid}`])
    expect(teamName(no)).toBe(no);
  expect(() => teamName(`t.deleted-${uuid}`)).toThrow(expect.objectContaining({ code: "name_invalid" }));
  expect(agentName(`t.deleted-${uuid}`)).toBe(`t.deleted-${uuid}`);
});

test("[ATP-FS-104] the remains of a deleted team are no team", () => {
  const remains = layoutOf("/r").deletedTeam("session-b7f5edcc", "e132a923-0d1e-4a56-9f0a-d9451b749ac2");
  expect(remains).toBe("/r/teams/session-b7f5edcc.deleted-e132a923-0d1e-4a56-9f0a-d9451b749ac2");
  expect(isTeamName(remains.split("/").at(-1) ?? "")).toBe(false);
});

test("two names that differ only in case or normal form are one name", () => {
  expect(nameKey("Ame\u0301lie")).toBe(nameKey("AM\u00c9LIE"));
  expect(nameKey("alice")).not.toBe(nameKey("alise"));
  for (const [one, other] of [["stra\u00dfe", "STRASSE"] as const, ["\ufb01le", "file"] as const])
    expect(nameKey(one)).not.toBe(nameKey(other));
});

test("the session's team is named by the first eight digits of its id", () => {
  expect(sessionTeamName("b7f5edcc-898c-4e36-983f-1c2e8fec7d28")).toBe("session-b7f5edcc");
  expect(() => sessionTeamName("../../x")).toThrow(expect.objectContaining({ code: "name_invalid" }));
});

test("[INBOX-01] [ATP-FS-001] [ATP-FS-002] a team's config and inboxes lie below teams/, by bare name", () => {
  const team = layoutOf("/home/dev/.claude").team("analysis-team");
  expect(team.config).toBe("/home/dev/.claude/teams/analysis-team/config.json");
  expect(team.inbox("alice")).toBe("/home/dev/.claude/teams/analysis-team/inboxes/alice.json");
});

test("[TASK-01] [ATP-FS-003] a team's tasks lie below tasks/, one file each beside .lock", () => {
  const team = layoutOf("/home/dev/.claude").team("analysis-team");
  expect(team.task("12")).toBe("/home/dev/.claude/tasks/analysis-team/12.json");
  expect(team.taskLock).toBe("/home/dev/.claude/tasks/analysis-team/.lock");
  expect(team.highWaterMark).toBe("/home/dev/.claude/tasks/analysis-team/.highwatermark");
  expect(lockOf(team.config)).toBe("/home/dev/.claude/teams/analysis-team/config.json.lock");
});

test("[ATP-FS-005] only digits and .json make a task's file", () => {
  expect(["1.json", "10.json"].map(taskIdOf)).toEqual(["1", "10"]);
  const others = [
    ".lock",
    "1.json.lock",
    "1.json.123.tmp",
    "1.json.tmp.ab12cd34",
    ".highwatermark",
    "a.json",
    "-1.json",
    "1",
    "1.JSON",
  ];
  expect(others.map(taskIdOf)).toEqual(others.map(() => undefined));
  expect(() => taskId("1e3")).toThrow("is not a task id");
});

test("[SEND-13] transcripts of subagents lie below their session, the pieces of the path refuse to lead elsewhere", () => {
  const layout = layoutOf("/r");
  expect(layout.transcript("-home-dev", "s1")).toBe("/r/projects/-home-dev/s1.jsonl");
  expect(layout.subagentTranscript("-home-dev", "s1", "a1")).toBe("/r/projects/-home-dev/s1/subagents/agent-a1.jsonl");
  expect(layout.subagentMeta("-home-dev", "s1", "a1")).toBe("/r/projects/-home-dev/s1/subagents/agent-a1.meta.json");
  for (const part of ["..", "", "a/b", "a\\b", "a\0"]) {
    expect(() => layout.transcript("p", part)).toThrow(expect.objectContaining({ code: "path_escaping" }));
    expect(() => layout.plan(part)).toThrow(expect.objectContaining({ code: "path_escaping" }));
  }
});

test("[ATP-FS-015] [PLAN-04] plan files lie below plans/", () => {
  expect(layoutOf("/r").plan("calm-sorting-heron.md")).toBe("/r/plans/calm-sorting-heron.md");
});

test("[MEM-01] memory lies with the user, with the project, or with the project but for this machine alone", () => {
  expect(agentMemory("user", "reviewer", "/h/.claude", "/p")).toBe("/h/.claude/agent-memory/reviewer");
  expect(agentMemory("project", "reviewer", "/h/.claude", "/p")).toBe("/p/.claude/agent-memory/reviewer");
  expect(agentMemory("local", "reviewer", "/h/.claude", "/p")).toBe("/p/.claude/agent-memory-local/reviewer");
  expect(() => agentMemory("user", "../x", "/h", "/p")).toThrow();
});

test("an agent's output lies below the temporary directory, by project, session and id", () => {
  expect(agentOutput("/tmp", 501, "-home-dev", "s1", "b6b99ac")).toBe(
    "/tmp/claude-501/-home-dev/s1/tasks/b6b99ac.output",
  );
});

test("[WT-07] [WT-09] [ATP-WT-002] a worktree's name is at most 64 characters of its own alphabet, flattened with +", () => {
  expect(worktreeSlug("user/feature")).toBe("user+feature");
  expect(worktreeSlug("A.b_c-9/Z.0/..a")).toBe("A.b_c-9+Z.0+..a");
  expect(worktree("/repo", "agent-a1b2")).toBe("/repo/.claude/worktrees/agent-a1b2");
  expect(worktreeSlug("a".repeat(64))).toHaveLength(64);
});

test.each(["", ".", "..", "../x", "a/../b", "/abs", "C:\\x", "a//b", "a b", "a+b", "ü", "a".repeat(65), "a\n"])(
  "[WT-08] [ATP-WT-002] %j is no worktree's name",
  (text) => expect(() => worktreeSlug(text)).toThrow(expect.objectContaining({ code: "name_invalid" })),
);
