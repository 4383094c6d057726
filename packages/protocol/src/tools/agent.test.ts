import fc from "fast-check";
import { expect, test } from "vitest";
import { revisions } from "../revisions/revision.ts";
import { type AgentInputGates, agentInputProblems, agentTool, visibleAgentInput } from "./agent.ts";

const input202602 = agentTool.input["2026-02"];
const input202611 = agentTool.input["2026-11"];
const least = { description: "review parser bug", prompt: "Review the parser changes." };
const accepts = (fields: Record<string, unknown>, revision: "2026-02" | "2026-11" = "2026-02"): boolean =>
  agentTool.input[revision].safeParse({ ...least, ...fields }).success;

const gates: AgentInputGates = {
  isBackgroundDisabled: false,
  isForkEnabled: false,
  isCwdEnabled: true,
  isRemoteEnabled: true,
};
const visible = (changed: Partial<AgentInputGates> = {}) => visibleAgentInput("2026-02", { ...gates, ...changed });
const fields = (schema: { shape: object }): string[] => Object.keys(schema.shape);

test.each([
  {
    description: "review parser bug",
    prompt: "Review the parser changes and identify correctness risks.",
    subagent_type: "code-reviewer",
  },
  {
    description: "run regression suite",
    prompt: "Run the regression tests and summarize failures.",
    subagent_type: "general-purpose",
    run_in_background: true,
  },
  {
    description: "investigate flaky tests",
    prompt: "Investigate flaky tests without editing files yet.",
    subagent_type: "general-purpose",
    name: "flaky-investigator",
    run_in_background: true,
  },
  {
    description: "prototype parser fix",
    prompt: "Implement a candidate fix in isolation and report the changed files.",
    subagent_type: "general-purpose",
    isolation: "worktree",
  },
  { description: "scan auth paths", prompt: "Analyze the auth flow and report likely race conditions." },
])("the seed's call «$description» is taken under either revision", (call) => {
  for (const revision of revisions) expect(agentTool.input[revision].parse(call)).toEqual(call);
});

test("[ROUTE-01] a call without a description is refused", () => {
  expect(accepts({ description: undefined })).toBe(false);
  expect(accepts({ description: 3 })).toBe(false);
});

test("a call without a prompt is refused", () => {
  expect(accepts({ prompt: undefined })).toBe(false);
  expect(accepts({ prompt: ["read"] })).toBe(false);
});

test("[ROUTE-03] subagent_type may be left out, and is any string", () => {
  expect(accepts({})).toBe(true);
  expect(accepts({ subagent_type: "plugin:dir:reviewer" })).toBe(true);
  expect(accepts({ subagent_type: null })).toBe(false);
});

test("[ROUTE-04] model is sonnet, opus or haiku, and no other", () => {
  for (const model of ["sonnet", "opus", "haiku"]) expect(accepts({ model })).toBe(true);
  for (const model of ["fable", "inherit", "claude-opus-4-6", ""]) expect(accepts({ model })).toBe(false);
});

test("[ROUTE-06] run_in_background is true or false where it is given", () => {
  expect(accepts({ run_in_background: true })).toBe(true);
  expect(accepts({ run_in_background: false })).toBe(true);
  expect(accepts({ run_in_background: "true" })).toBe(false);
});

test("name and team_name are strings where they are given", () => {
  expect(accepts({ name: "worker-1", team_name: "my-project" })).toBe(true);
  expect(accepts({ name: "worker-1" })).toBe(true);
  expect(accepts({ name: 1 })).toBe(false);
  expect(accepts({ team_name: {} })).toBe(false);
});

test("mode is one of the six of 2026-02, and the internal one is refused", () => {
  for (const mode of ["default", "acceptEdits", "delegate", "dontAsk", "bypassPermissions", "plan"]) {
    expect(accepts({ mode })).toBe(true);
  }
  for (const mode of ["bubble", "auto", "manual", ""]) expect(accepts({ mode })).toBe(false);
});

test("[ROUTE-10] isolation is worktree or remote", () => {
  for (const isolation of ["worktree", "remote"]) expect(accepts({ isolation })).toBe(true);
  for (const isolation of ["none", "", true]) expect(accepts({ isolation })).toBe(false);
});

test("a directory of one's own beside a worktree of one's own is a problem", () => {
  expect(agentInputProblems({ cwd: "/srv/app", isolation: "worktree" })).toMatchObject([
    { path: "/cwd", code: "field_invalid", fix: "leave out /cwd or /isolation" },
  ]);
  expect(agentInputProblems({ cwd: "/srv/app" })).toEqual([]);
  expect(agentInputProblems({ isolation: "worktree" })).toEqual([]);
  expect(agentInputProblems({ cwd: "/srv/app", isolation: "remote" })).toEqual([]);
});

test("[ROUTE-13] run_in_background is hidden where there is no background or every call runs there", () => {
  expect(fields(visible())).toContain("run_in_background");
  expect(fields(visible({ isBackgroundDisabled: true }))).not.toContain("run_in_background");
  expect(fields(visible({ isForkEnabled: true }))).not.toContain("run_in_background");
});

test("[ROUTE-14] cwd is hidden outside its gate", () => {
  expect(fields(visible())).toContain("cwd");
  expect(fields(visible({ isCwdEnabled: false }))).not.toContain("cwd");
});

test("[ROUTE-15] remote isolation is hidden in an external build", () => {
  const takes = (isRemoteEnabled: boolean, isolation: string) =>
    visible({ isRemoteEnabled }).safeParse({ ...least, isolation }).success;
  expect(takes(true, "remote")).toBe(true);
  expect(takes(false, "remote")).toBe(false);
  expect(takes(false, "worktree")).toBe(true);
});

test("[ROUTE-28] a field that is hidden from the model is still read", () => {
  const closed = { isBackgroundDisabled: true, isForkEnabled: true, isCwdEnabled: false, isRemoteEnabled: false };
  const call = { ...least, run_in_background: true, cwd: "/srv/app", isolation: "remote" };
  expect(visibleAgentInput("2026-02", closed).shape).not.toHaveProperty("cwd");
  expect(input202602.parse(call)).toEqual(call);
});

test("[ROUTE-32, ATP-SUB-016] the input of 2026-02 has two required and eight optional fields, and no others", () => {
  expect(fields(input202602)).toEqual([
    "description",
    "prompt",
    "subagent_type",
    "model",
    "run_in_background",
    "name",
    "team_name",
    "mode",
    "isolation",
    "cwd",
  ]);
  const required = Object.entries(input202602.shape).filter(([, field]) => !field.safeParse(undefined).success);
  expect(required.map(([field]) => field)).toEqual(["description", "prompt"]);
});

test("the input of 2.1.41 passes whole: fields that are gone are tolerated", () => {
  const call = { ...least, subagent_type: "general-purpose", resume: "a4b20af", max_turns: 3 };
  expect(input202602.parse(call)).toEqual(call);
});

test("[ATP-SUB-106] the input of 2026-11 has effort, fable and a name of 64 characters at most", () => {
  const required = Object.entries(input202611.shape).filter(([, field]) => !field.safeParse(undefined).success);
  expect(required.map(([field]) => field)).toEqual(["description", "prompt"]);
  expect(accepts({ model: "fable" }, "2026-11")).toBe(true);
  for (const effort of ["low", "medium", "high", "xhigh", "max"]) expect(accepts({ effort }, "2026-11")).toBe(true);
  expect(accepts({ effort: 3 }, "2026-11")).toBe(false);
  for (const name of ["alice", "A1_b-c", "a".repeat(64)]) expect(accepts({ name }, "2026-11")).toBe(true);
  for (const name of ["", "-alice", "a b", "a@t", "../a", "a".repeat(65)])
    expect(accepts({ name }, "2026-11")).toBe(false);
});

test("[ATP-SUB-106] in 2026-11 team_name and mode are taken, whatever they are worth", () => {
  expect(accepts({ team_name: "elsewhere", mode: "plan" }, "2026-11")).toBe(true);
  expect(input202611.shape.team_name.description).toMatch(/ignored/);
  expect(input202611.shape.mode.description).toMatch(/ignored/);
});

test("[ATP-SUB-106] in 2026-11 run_in_background is shown to non-interactive sessions only", () => {
  const shown = (isForkEnabled: boolean) => fields(visibleAgentInput("2026-11", { ...gates, isForkEnabled }));
  expect(shown(false)).toContain("run_in_background");
  expect(shown(true)).not.toContain("run_in_background");
});

test("a call arrives under today's name and under the old one", () => {
  expect([agentTool.name, ...agentTool.aliases]).toEqual(["Agent", "Task"]);
});

test("whatever is called, reading it does not throw", () => {
  fc.assert(
    fc.property(fc.anything(), (call) => {
      for (const revision of revisions) agentTool.input[revision].safeParse(call);
    }),
  );
});
