import { expect, test } from "vitest";
import { type LintTarget, lintAgentDefinition } from "./lint.ts";

const usual = "name: helper\ndescription: Checks a change.";
const lint = (fields: string, target: Partial<LintTarget> = {}) =>
  lintAgentDefinition({
    path: ".claude/agents/helper.md",
    text: `---\n${usual}\n${fields}\n---\nYou check.\n`,
    revision: "2026-11",
    ...target,
  });
const found = (fields: string, target: Partial<LintTarget> = {}) =>
  lint(fields, target).map(({ rule, severity, line, column }) => `${rule} ${severity} ${line}:${column}`);

test.each([
  ["sonnet", []],
  ["fable", ["note"]],
  ["opusplan", ["note"]],
  ["sonnet[1m]", ["note"]],
  ["claude-opus-4-6", ["note"]],
  ["anthropic/claude-sonnet-4", ["note"]],
  ["us.anthropic.claude-sonnet-4-20250514-v1:0", ["note"]],
  ["Sonnet", ["warning"]],
  ["gpt-4", ["warning"]],
  ["4", ["warning"]],
])("V-AG-08: in 2026-11 a whole id or a later alias is a note, any other model a warning: %s", (model, severities) => {
  const findings = lint(`model: ${model}`);
  expect(findings.map(({ severity }) => severity)).toEqual(severities);
});

test.each([
  ["tools: Read, MultiEdit, LS", ["V-AG-05 warning 4:1", "V-AG-05 warning 4:1"]],
  ["tools: Read\ndisallowedTools: Write", ["V-AG-07 note 5:1"]],
  ["memory: none\nmaxTurns: many", ["V-AG-11 warning 4:1", "V-AG-10 warning 5:1"]],
  ["description: 'Use: this'", ["V-AG-02 warning 4:1"]],
])("in 2026-11 a mistake that the client tolerates is no error: %j", (fields, expected) => {
  expect(found(fields)).toEqual(expected);
});

test("in 2026-11 a tool list that leaves no tool is reported, since the agent cannot start or cannot work", () => {
  const told = (tools: string) => lint(`tools: ${tools}`).map(({ message }) => message);
  expect(told("LS")).toContain("tools names no tool that exists, and Claude Code refuses to start the agent");
  expect(told("")).toEqual(["tools is empty, and Claude Code starts the agent without any tool"]);
  expect(told("mcp__db__query")).toEqual([]);
  expect(lint("tools: ViewImage", { surroundings: { tools: ["ViewImage"] } })).toEqual([]);
});

test("a byte order mark, for which clients of 2026-02 ignore the file, is an error there and a note in 2026-11", () => {
  const text = `\uFEFF---\n${usual}\n---\nText`;
  expect(found("", { text, revision: "2026-02" })).toEqual(["V-AG-02 error 1:1"]);
  expect(found("", { text })).toEqual(["V-AG-02 note 1:1"]);
});

test("three hyphens within the front matter are told, since the client ends it there", () => {
  expect(found("memory: user --- or project\nmodel: opus", { revision: "2026-02" })).toContain("V-AG-02 warning 4:14");
  expect(found("color: blue --- or red\nmodel: opus")).toEqual(["V-AG-02 warning 4:13"]);
  const text = "---\nname: helper # --- which\ndescription: Checks.\n---\nText";
  expect(found("", { text })).toEqual(["V-AG-02 warning 2:16", "V-AG-04 error 3:1"]);
});

test("in 2026-11 a file outside agents/ is a note, and one that does not end in .md an error", () => {
  expect(found("", { path: "subagents/helper.md" })).toEqual(["V-AG-01 note 1:1"]);
  expect(found("", { path: "agents/helper.txt" })).toEqual(["V-AG-01 error 1:1"]);
});
