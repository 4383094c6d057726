import { expect, onTestFinished, test, vi } from "vitest";
import { permissionModes } from "./permissions.ts";
import { type Revision, revisions } from "./revisions/revision.ts";
import { buildTeammateArgs, parseTeammateArgs, spawnFlags, type TeammateArgs, teammateFlags } from "./teammate-args.ts";

const probe: TeammateArgs = {
  agentName: "probe-01",
  teamName: "tmux-probe",
  agentColor: "blue",
  parentSessionId: "c93b690c-0000-4000-8000-d9451b749ac2",
  agentType: "general-purpose",
  model: "claude-opus-4-6",
  planModeRequired: false,
  rest: [],
};
const build = (changed: Partial<TeammateArgs> = {}, revision: Revision = "2026-02"): string[] =>
  buildTeammateArgs(revision, { ...probe, ...changed });
const parse = (changed: Partial<TeammateArgs>, revision: Revision = "2026-02") =>
  parseTeammateArgs(build(changed, revision));
const flagsOf = (argv: readonly string[]): string[] => argv.filter((token) => token.startsWith("--"));

test("[CLIARGS-01] the seven arguments that are always there stand in the order of the seed", () => {
  for (const revision of revisions) {
    expect(build({}, revision)).toEqual([
      "--agent-id",
      "probe-01@tmux-probe",
      "--agent-name",
      "probe-01",
      "--team-name",
      "tmux-probe",
      "--agent-color",
      "blue",
      "--parent-session-id",
      "c93b690c-0000-4000-8000-d9451b749ac2",
      "--agent-type",
      "general-purpose",
      "--model",
      "claude-opus-4-6",
    ]);
  }
});

test("[CLIARGS-01] a command line without the flags of a team is not that of a teammate", () => {
  for (const argv of [[], ["--dangerously-skip-permissions"], ["--model", "opus", "hello"]]) {
    expect(parseTeammateArgs(argv)).toEqual({ problems: [] });
  }
});

test("[CLIARGS-02] the captured command line of 2.1.34 is what is built, the inherited bypass before the model", () => {
  expect(flagsOf(build({ permissionMode: "bypassPermissions" }))).toEqual([
    "--agent-id",
    "--agent-name",
    "--team-name",
    "--agent-color",
    "--parent-session-id",
    "--agent-type",
    "--dangerously-skip-permissions",
    "--model",
  ]);
});

test("[CLIARGS-02] the conditional flags come where they are asked for, in the order of the seed", () => {
  const conditional = (changed: Partial<TeammateArgs>) =>
    flagsOf(build(changed)).filter((flag) => !flagsOf(build()).includes(flag));
  expect(conditional({})).toEqual([]);
  expect(
    conditional({
      planModeRequired: true,
      permissionMode: "acceptEdits",
      allowedTools: ["Read"],
      disallowedTools: ["Bash"],
    }),
  ).toEqual(["--plan-mode-required", "--permission-mode", "--allowedTools", "--disallowedTools"]);
  expect(conditional({ planModeRequired: true, permissionMode: "bypassPermissions" })).toEqual([
    "--plan-mode-required",
    "--dangerously-skip-permissions",
  ]);
});

test("flags that only a lead passes are hidden from help, others are not", () => {
  const named = (isHidden: boolean) =>
    teammateFlags.filter((known) => known.isHidden === isHidden).map(({ flag }) => flag);
  expect(named(true)).toEqual([
    "--agent-id",
    "--agent-name",
    "--team-name",
    "--agent-color",
    "--parent-session-id",
    "--agent-type",
    "--lead-verify-key",
    "--plan-mode-required",
  ]);
  expect(named(false)).toContain("--permission-mode");
});

test.each([
  ["plan", ["--plan-mode-required"]],
  ["delegate", ["--permission-mode", "acceptEdits"]],
  ["acceptEdits", ["--permission-mode", "acceptEdits"]],
  ["bypassPermissions", ["--dangerously-skip-permissions"]],
  ["default", ["--permission-mode", "default"]],
  ["dontAsk", ["--permission-mode", "dontAsk"]],
  [undefined, []],
] as const)("[CLIARGS-04] in 2026-02 a call with mode %s adds %j", (mode, added) => {
  const argv = build(spawnFlags("2026-02", mode, "default"));
  expect(argv.slice(12, -2)).toEqual(added);
});

test("[CLIARGS-04, ROUTE-09] in 2026-02 a plan is required if and only if the mode is plan", () => {
  for (const mode of [...permissionModes["2026-02"], undefined]) {
    const flags = spawnFlags("2026-02", mode, "default");
    expect(flags.planModeRequired).toBe(mode === "plan");
    expect(build(flags).includes("--plan-mode-required")).toBe(mode === "plan");
  }
});

test("bypass comes by the call's mode or by the lead's, and never otherwise", () => {
  for (const leadMode of permissionModes["2026-02"]) {
    for (const mode of [...permissionModes["2026-02"], undefined]) {
      const isInherited = leadMode === "bypassPermissions" && (mode === undefined || mode === "plan");
      const argv = build(spawnFlags("2026-02", mode, leadMode));
      expect(argv.includes("--dangerously-skip-permissions")).toBe(mode === "bypassPermissions" || isInherited);
    }
  }
});

test("[CLIARGS-06] every mode but bypass travels by --permission-mode, which is read for bypass as well", () => {
  for (const mode of permissionModes["2026-02"]) {
    const argv = build({ permissionMode: mode });
    expect(argv.slice(12, -2)).toEqual(
      mode === "bypassPermissions" ? ["--dangerously-skip-permissions"] : ["--permission-mode", mode],
    );
    expect(parseTeammateArgs(argv).args?.permissionMode).toBe(mode);
  }
  expect(parseTeammateArgs([...build(), "--permission-mode", "bypassPermissions"]).args?.permissionMode).toBe(
    "bypassPermissions",
  );
});

test.each([
  [["--allowedTools", "Bash(git:*) Edit Read"], { allowedTools: ["Bash(git:*)", "Edit", "Read"] }],
  [["--allowed-tools", "Bash(git:*) Edit Read"], { allowedTools: ["Bash(git:*)", "Edit", "Read"] }],
  [["--allowedTools=Agent(a, b),Read"], { allowedTools: ["Agent(a, b)", "Read"] }],
  [["--disallowedTools", "Write Bash"], { disallowedTools: ["Write", "Bash"] }],
  [["--disallowed-tools", "Write Bash(rm -rf *)"], { disallowedTools: ["Write", "Bash(rm -rf *)"] }],
  [["--tools", "Bash,Edit,Read"], { tools: ["Bash", "Edit", "Read"] }],
  [["--tools", ""], { tools: [] }],
])("[CLIARGS-07] %j is read as %j", (argv, lists) => {
  expect(parseTeammateArgs([...build(), ...argv])).toEqual({ args: { ...probe, ...lists }, problems: [] });
});

test("[CLIARGS-07] rules are written with blanks between them, built-in tools with commas", () => {
  const argv = build({
    allowedTools: ["Bash(git:*)", "Edit"],
    disallowedTools: ["Write", "Bash"],
    tools: ["Bash", "Read"],
  });
  expect(argv.slice(-6)).toEqual([
    "--allowedTools",
    "Bash(git:*) Edit",
    "--disallowedTools",
    "Write Bash",
    "--tools",
    "Bash,Read",
  ]);
});

test("identity travels in argv alone: the environment says nothing", () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("CLAUDE_CODE_TEAM_NAME", "another-team");
  vi.stubEnv("CLAUDE_CODE_AGENT_NAME", "another-agent");
  expect(parseTeammateArgs([])).toEqual({ problems: [] });
  expect(parseTeammateArgs(build()).args).toEqual(probe);
});

test("in 2026-11 the arguments are those of the captured teammate", () => {
  const alice: TeammateArgs = {
    agentName: "alice",
    teamName: "session-7525cb01",
    agentColor: "blue",
    parentSessionId: "7525cb01-d96a-4bc3-8d23-4ffe8cf9647c",
    leadVerifyKey: "1794985720643.MCowBQYDK2VwAyEAhUILpbSpUXj7qdj3NWReWOlXa5t9Olvmky8m33sqgkk",
    agentType: "general-purpose",
    model: "claude-opus-4-6",
    ...spawnFlags("2026-11", undefined, "bypassPermissions"),
    rest: [],
  };
  const argv = [
    "--agent-id",
    "alice@session-7525cb01",
    "--agent-name",
    "alice",
    "--team-name",
    "session-7525cb01",
    "--agent-color",
    "blue",
    "--parent-session-id",
    "7525cb01-d96a-4bc3-8d23-4ffe8cf9647c",
    "--lead-verify-key",
    "1794985720643.MCowBQYDK2VwAyEAhUILpbSpUXj7qdj3NWReWOlXa5t9Olvmky8m33sqgkk",
    "--agent-type",
    "general-purpose",
    "--dangerously-skip-permissions",
    "--model",
    "claude-opus-4-6",
  ];
  expect(buildTeammateArgs("2026-11", alice)).toEqual(argv);
  expect(parseTeammateArgs(argv)).toEqual({ args: alice, problems: [] });
});

test("in 2026-11 the lead's mode decides, and that of the call has no effect", () => {
  for (const mode of [...permissionModes["2026-11"], undefined]) {
    expect(spawnFlags("2026-11", mode, "plan")).toEqual({ planModeRequired: true, permissionMode: "plan" });
    expect(spawnFlags("2026-11", mode, "acceptEdits")).toEqual({
      planModeRequired: false,
      permissionMode: "acceptEdits",
    });
  }
  expect(build(spawnFlags("2026-11", "plan", "default"), "2026-11").slice(10)).toEqual([
    "--agent-type",
    "general-purpose",
    "--permission-mode",
    "default",
    "--model",
    "claude-opus-4-6",
  ]);
  expect(build(spawnFlags("2026-11", undefined, "plan"), "2026-11").slice(10)).toEqual([
    "--plan-mode-required",
    "--agent-type",
    "general-purpose",
    "--permission-mode",
    "plan",
    "--model",
    "claude-opus-4-6",
  ]);
});

test("a verify key is passed only where one is given, and kept where one is read", () => {
  for (const revision of revisions) expect(build({}, revision)).not.toContain("--lead-verify-key");
  expect(parseTeammateArgs(build()).args).not.toHaveProperty("leadVerifyKey");
  expect(parse({ leadVerifyKey: "1.key" }, "2026-11").args?.leadVerifyKey).toBe("1.key");
});
