import { parseTeammateArgs } from "@troupe/protocol";
import { expect, test } from "vitest";
import { assertLaunch, claudeTeammate, type SpawnSpec, troupeTeammate } from "./launch.ts";

const spec: SpawnSpec = {
  team: "crew",
  teamCreatedAt: 1,
  name: "ann",
  revision: "2026-11",
  leadSessionId: "s",
  agentType: "general-purpose",
  model: "haiku",
  prompt: "go",
  mode: "acceptEdits",
  planModeRequired: false,
  cwd: "/p",
  environment: { LANG: "C" },
  color: "green",
};
const command = ["/usr/bin/node", "/opt/main.js"] as const;
const environment = { ANTHROPIC_API_KEY: "secret", LANG: "de" };

test("[ATP-BCK-003] [ATP-BCK-102] troupe is started as a teammate with its flags in their order, on the root of its lead, the prompt and credentials nowhere among them", () => {
  const { file, args, environment: given } = troupeTeammate({ command, environment, root: "/r" })(spec);
  const flags = ["--agent-id", "ann@crew", "--agent-name", "ann", "--team-name", "crew", "--agent-color", "green"];
  const further = ["--parent-session-id", "s", "--agent-type", "general-purpose", "--permission-mode", "acceptEdits"];
  expect([file, ...args]).toEqual([
    ...command,
    "teammate",
    ...[...flags, ...further, "--model", "haiku"],
    ...["--root", "/r", "--json"],
  ]);
  expect(given).toEqual({ ANTHROPIC_API_KEY: "secret", LANG: "C" });
});

test("[ATP-BCK-008] [ATP-BCK-103] [ATP-BCK-104] the client of the reference gets the variables of its teammates, no key to verify, and no identity in its environment", () => {
  const { args, environment: given } = claudeTeammate({ command: ["/bin/claude"], environment })(spec);
  expect(parseTeammateArgs(args)).toMatchObject({ args: { agentName: "ann", rest: [] }, problems: [] });
  expect(args).not.toContain("--lead-verify-key");
  expect(given).toEqual({
    ANTHROPIC_API_KEY: "secret",
    LANG: "C",
    CLAUDECODE: "1",
    CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1",
  });
  expect(claudeTeammate({ command, environment })({ ...spec, revision: "2026-02" }).environment).toMatchObject({
    CLAUDE_CODE_ENTRYPOINT: "cli",
  });
});

test("[CLIARGS-02] what a definition leaves and takes of the tools reaches every program, and allows nothing that would be asked about", () => {
  const limited = { ...spec, tools: ["Bash", "Read"], disallowedTools: ["Bash(rm:*)", "WebFetch"] };
  const flags = ["--disallowedTools", "Bash(rm:*) WebFetch", "--tools", "Bash,Read"];
  for (const { args } of [
    troupeTeammate({ command, environment, root: "/r" })(limited),
    claudeTeammate({ command: ["/bin/claude"], environment })(limited),
  ]) {
    expect(args.join("\n")).toContain(flags.join("\n"));
    expect(args).not.toContain("--allowedTools");
  }
});

test.each([
  ["2026-02", "plan", true, ["--plan-mode-required"]],
  ["2026-02", "delegate", false, ["--permission-mode", "acceptEdits"]],
  ["2026-02", "bypassPermissions", false, ["--dangerously-skip-permissions"]],
  ["2026-02", "bypassPermissions", true, ["--plan-mode-required", "--dangerously-skip-permissions"]],
  ["2026-11", "default", true, ["--plan-mode-required", "--permission-mode", "plan"]],
] as const)(
  "[ATP-BCK-004] [ATP-BCK-005] [ATP-BCK-006] in %s the mode %s with a plan required: %s becomes its flags",
  (revision, mode, planModeRequired, flags) => {
    const { args } = troupeTeammate({ command, environment, root: "/r" })({
      ...spec,
      revision,
      mode,
      planModeRequired,
    });
    const told = args.filter(
      (flag, at) => /^--(plan|dangerously|permission)/.test(flag) || args[at - 1] === "--permission-mode",
    );
    expect(told).toEqual(flags);
  },
);

test("what no program can be started with is refused by name, and of a variable the value is not told", () => {
  const launch = { file: "/bin/true", args: [], environment: {} };
  const refused = (more: object) => () => assertLaunch({ ...launch, ...more });
  expect(refused({})).not.toThrow();
  expect(refused({ file: "true" })).toThrow('the program is "true": make it an absolute path');
  expect(refused({ args: ["a\0b"] })).toThrow(/an argument is "a\\u0000b": make it free of NUL/);
  expect(refused({ environment: { "A=B": "secret" } })).toThrow(/^a variable is "A=B": make it a name without =/);
  expect(refused({ environment: { KEY: "secret\0" } })).toThrow(/^a variable is "KEY": (?!.*secret)/);
});
