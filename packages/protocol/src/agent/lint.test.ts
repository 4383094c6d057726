import { expect, test } from "vitest";
import { type LintTarget, lintAgentDefinition, lintRules } from "./lint.ts";
import { lintRuleIds } from "./rules/rule.ts";

const usual = "name: helper\ndescription: Checks a change.";
const lint = (fields: string, target: Partial<LintTarget> = {}) =>
  lintAgentDefinition({
    path: ".claude/agents/helper.md",
    text: `---\n${usual}\n${fields}\n---\nYou check.\n`,
    ...target,
  });
const found = (fields: string, target: Partial<LintTarget> = {}) =>
  lint(fields, target).map(({ rule, severity, line, column }) => `${rule} ${severity} ${line}:${column}`);
const file = (text: string) => found("", { text });

test("there are sixteen rules, each once, with the seed's severity", () => {
  expect(lintRules.map(({ id }) => id)).toEqual(lintRuleIds);
  const warnings = lintRules.filter(({ severity }) => severity === "warning").map(({ id }) => id.slice(-2));
  expect(warnings).toEqual(["10", "12", "13", "15", "16"]);
});

test("a definition that keeps the rules has no findings", () => {
  expect(found("tools: Read")).toEqual([]);
});

test.each([
  ["agents/helper.md", []],
  ["/home/me/.claude/agents/deep/helper.md", []],
  ["C:\\work\\.claude\\agents\\helper.md", []],
  ["helper.md", ["V-AG-01 error 1:1"]],
  [".claude/agents.md", ["V-AG-01 error 1:1"]],
  [".claude/commands/helper.md", ["V-AG-01 error 1:1"]],
  [".claude/agents/helper.txt", ["V-AG-01 error 1:1"]],
])(
  "[DEF-33] [DEF-34] [ATP-DEF-001] V-AG-01: %s lies under agents/ and is an .md file, or that is an error",
  (path, expected) => {
    expect(found("", { path })).toEqual(expected);
  },
);

test.each([
  ["Just a text\n", ["V-AG-02 error 1:1"]],
  ["---\nname: a\n", ["V-AG-02 error 1:1"]],
  ["---\n- a\n---\nText", ["V-AG-02 error 2:1"]],
  ["---\nname: helper\ndescription: Use when: done\n---\nText", ["V-AG-02 error 3:1"]],
  ["---\nname: helper\ndescription: Checks.\nname: helper\n---\nText", ["V-AG-02 error 4:1"]],
  ["---\nname: helper\ndescription: Checks.\nhooks: {Stop: [\n---\nText", ["V-AG-02 error 5:1"]],
])("[DEF-35] [ATP-DEF-001] V-AG-02: front matter that is no valid YAML is an error: %j", (text, expected) => {
  expect(file(text)).toEqual(expected);
});

test.each([
  ["description: x", ["V-AG-03 error 1:1"]],
  ["name: ''\ndescription: x", ["V-AG-03 error 2:1"]],
  ["name: Code Reviewer\ndescription: x", ["V-AG-03 error 2:1"]],
  ["name: code_reviewer\ndescription: x", ["V-AG-03 error 2:1"]],
  ["name: code--reviewer\ndescription: x", ["V-AG-03 error 2:1"]],
  ["name: -reviewer\ndescription: x", ["V-AG-03 error 2:1"]],
  ["description: x\nname: 7", ["V-AG-03 error 3:1"]],
  ["name: code-reviewer-2\ndescription: x", []],
])(
  "[DEF-03] [DEF-36] [ATP-DEF-002] V-AG-03: a name that is absent or not kebab-case is an error: %j",
  (fields, expected) => {
    expect(file(`---\n${fields}\n---\nText`)).toEqual(expected);
  },
);

test.each([
  ["name: a", ["V-AG-04 error 1:1"]],
  ["name: a\ndescription:", ["V-AG-04 error 3:1"]],
  ["name: a\ndescription: '  '", ["V-AG-04 error 3:1"]],
  ["name: a\ndescription: [x]", ["V-AG-04 error 3:1"]],
  ["name: a\ndescription: |\n  x", []],
])(
  "[DEF-04] [DEF-37] [ATP-DEF-003] V-AG-04: a description that is absent or empty is an error: %j",
  (fields, expected) => {
    expect(file(`---\n${fields}\n---\nText`)).toEqual(expected);
  },
);

test.each([
  ["tools: Read, Task(Explore), mcp__db__query", []],
  ["tools: [Read, 'Agent(a, b)', mcp__db, '*']", []],
  ["tools: KillShell, MCPSearch, TeamCreate, CronCreate", []],
  ["tools: read", ["V-AG-05 error 4:1"]],
  ["tools: Read, Task(", ["V-AG-05 error 4:1"]],
  ["tools: Task()", ["V-AG-05 error 4:1"]],
  ["tools:\n  - Read\n  - view_file", ["V-AG-05 error 6:5"]],
  ["tools: {Read: true}", ["V-AG-05 error 4:1"]],
  ["tools: [Read, [Grep]]", ["V-AG-05 error 4:15"]],
])(
  "[DEF-38] [DEF-63] [ATP-DEF-004] V-AG-05: a tool that does not exist or a malformed Task(type) is an error: %j",
  (fields, expected) => {
    expect(found(fields)).toEqual(expected);
  },
);

test("V-AG-05: a tool's name in other letters is repaired by the fix, and surroundings may know further tools", () => {
  expect(lint("tools: web_fetch")[0]?.fix).toBe("write WebFetch");
  expect(lint("tools: MultiEdit")[0]?.fix).toBe("write Edit");
  expect(found("tools: ViewImage", { surroundings: { tools: ["ViewImage"] } })).toEqual([]);
});

test.each([
  ["disallowedTools: Write, mcp__*, Bash(rm:*)", []],
  ["disallowedTools: [Write, Wriet]", ["V-AG-06 error 4:26"]],
  ["disallowedTools: {Bash: true}", ["V-AG-06 error 4:1"]],
])("[DEF-39] V-AG-06: a disallowed tool that does not exist is an error: %j", (fields, expected) => {
  expect(found(fields)).toEqual(expected);
});

test.each([
  ["tools: Read\ndisallowedTools: Write", ["V-AG-07 error 5:1"]],
  ["tools: [Read]\ndisallowedTools: []", []],
  ["tools: []\ndisallowedTools: [Write]", []],
  ["tools: Read\ndisallowedTools:", []],
  ["disallowedTools: Write", []],
])(
  "[DEF-40] [ATP-DEF-005] V-AG-07: tools beside disallowedTools is an error, unless one is empty: %j",
  (fields, expected) => {
    expect(found(fields)).toEqual(expected);
  },
);

test("[DEF-41] [ATP-DEF-006] V-AG-08: a model outside the four is an error in 2026-02, and none of them is", () => {
  const legal = ["sonnet", "opus", "haiku", "inherit"].flatMap((model) => found(`model: ${model}`));
  expect(legal).toEqual([]);
  for (const model of ["claude-opus-4-6", "Sonnet", "4", "fable"]) {
    expect(found(`model: ${model}`)).toEqual(["V-AG-08 error 4:1"]);
  }
});

const modes = [
  "default",
  "acceptEdits",
  "delegate",
  "dontAsk",
  "bypassPermissions",
  "plan",
  "manual",
  "auto",
  "bubble",
];

test("[DEF-42] [ATP-DEF-007] V-AG-09: in 2026-02 the six modes of the seed's table are legal, and no other", () => {
  const illegal = modes.filter((mode) => found(`permissionMode: ${mode}`).includes("V-AG-09 error 4:1"));
  expect(illegal).toEqual(["manual", "auto", "bubble"]);
  expect(modes.slice(0, 6).flatMap((mode) => found(`permissionMode: ${mode}`))).toEqual([]);
});

test("[DEF-42] [ATP-DEF-101] V-AG-09: in 2026-11 today's seven are legal, any other mode is a warning", () => {
  const findings = modes.flatMap((mode) =>
    lint(`permissionMode: ${mode}`, { revision: "2026-11" }).map(
      ({ rule, severity }) => `${mode}: ${rule} ${severity}`,
    ),
  );
  expect(findings).toEqual(["delegate: V-AG-09 warning", "bubble: V-AG-09 warning"]);
});

test.each([
  ["maxTurns: 30", []],
  ["maxTurns: 0", ["V-AG-10 warning 4:1"]],
  ["maxTurns: -1", ["V-AG-10 warning 4:1"]],
  ["maxTurns: 1.5", ["V-AG-10 warning 4:1"]],
  ["maxTurns: '30'", ["V-AG-10 warning 4:1"]],
  ["maxTurns: .inf", []],
])("[DEF-43] V-AG-10: %j", (fields, expected) => {
  expect(found(fields)).toEqual(expected);
});

test.each([
  ["memory: user", []],
  ["memory: project", []],
  ["memory: local", []],
  ["memory: none", ["V-AG-11 error 4:1"]],
  ["memory: true", ["V-AG-11 error 4:1"]],
])("[DEF-44] [ATP-DEF-009] V-AG-11: %j", (fields, expected) => {
  expect(found(fields)).toEqual(expected);
});

test("[DEF-45] V-AG-12: a skill that does not exist is a warning, if it is known which exist", () => {
  const fields = "skills: [code-style, react, absent]";
  expect(found(fields)).toEqual([]);
  expect(found(fields, { surroundings: { skills: ["code-style", "frontend:react"] } })).toEqual([
    "V-AG-12 warning 4:29",
  ]);
  expect(found("skills: code-style")).toEqual(["V-AG-12 warning 4:1"]);
});

test("[DEF-46] V-AG-13: a server that is not configured is a warning, if it is known which are; so is a definition of nothing", () => {
  const fields = "mcpServers:\n  - github\n  - absent\n  - {command: npx}\n  - {db: {url: x}}";
  expect(found(fields)).toEqual([]);
  expect(found(fields, { surroundings: { mcpServers: ["github"] } })).toEqual(["V-AG-13 warning 6:5"]);
  expect(found("mcpServers: [{db: {port: 1}}]")).toEqual(["V-AG-13 warning 4:14"]);
  expect(found("mcpServers: {github: {command: x}}")).toEqual(["V-AG-13 warning 4:1"]);
});

test.each([
  ["hooks: {PreToolUse: [{matcher: Bash, hooks: [{type: command, command: x}]}]}", []],
  ["hooks: {PostToolUse: [{hooks: [{type: prompt, prompt: x, timeout: 15}]}]}", []],
  ["hooks: {Stop: [{hooks: [{type: agent, prompt: x}, {type: http, url: 'http://x'}]}]}", []],
  ["hooks: ./hooks.json", ["V-AG-14 error 4:1"]],
  ["hooks: {Stop: {hooks: []}}", ["V-AG-14 error 4:9"]],
  ["hooks: {Stop: [x]}", ["V-AG-14 error 4:16"]],
  ["hooks: {Stop: [{type: command, command: x}]}", ["V-AG-14 error 4:16"]],
  ["hooks: {Stop: [{hooks: []}]}", ["V-AG-14 error 4:17"]],
  ["hooks: {Stop: [{matcher: [a], hooks: [{type: prompt, prompt: x}]}]}", ["V-AG-14 error 4:17"]],
  ["hooks: {Stop: [{hooks: [{command: x}]}]}", ["V-AG-14 error 4:25"]],
  ["hooks: {Stop: [{hooks: [{type: shell, command: x}]}]}", ["V-AG-14 error 4:26"]],
  ["hooks: {Stop: [{hooks: [{type: command}]}]}", ["V-AG-14 error 4:25"]],
  ["hooks: {Stop: [{hooks: [{type: command, command: x, timeout: 0}]}]}", ["V-AG-14 error 4:53"]],
])("[DEF-47] V-AG-14: %j", (fields, expected) => {
  expect(found(fields)).toEqual(expected);
});

const sessionHook = "hooks: {SessionStart: [{hooks: [{type: command, command: x}]}]}";

test("[DEF-14] [ATP-DEF-011] V-AG-14: in 2026-02 a hook on any but the three events is a warning", () => {
  expect(found(sessionHook)).toEqual(["V-AG-14 warning 4:9"]);
});

test("[ATP-DEF-102] V-AG-14: in 2026-11 a hook outside the three events is a note, one on no event a warning", () => {
  expect(found(sessionHook, { revision: "2026-11" })).toEqual(["V-AG-14 note 4:9"]);
  expect(found(sessionHook.replace("SessionStart", "Sessoin"), { revision: "2026-11" })).toEqual([
    "V-AG-14 warning 4:9",
  ]);
});

test("[DEF-48] V-AG-15: a file without text below its front matter is a warning", () => {
  expect(file(`---\n${usual}\n---\n\n  \n`)).toEqual(["V-AG-15 warning 5:1"]);
  expect(file(`---\n${usual}\n---\nText`)).toEqual([]);
});

test("[DEF-15] [DEF-49] [ATP-DEF-014] V-AG-16: a colour outside the eight is a warning", () => {
  const colors = ["red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"];
  expect(colors.flatMap((color) => found(`color: ${color}`))).toEqual([]);
  expect(found("color: teal")).toEqual(["V-AG-16 warning 4:1"]);
});

test("[DEF-24] [DEF-26] [ATP-DEF-015] no rule speaks of fields it does not know", () => {
  expect(found("run_mode: background\nonce: true\nversion: 1")).toEqual([]);
});

test("[DEF-26] an empty field counts as absent", () => {
  expect(found("tools:\nmodel:\npermissionMode:\nmaxTurns:\nmemory:\nskills:\nmcpServers:\nhooks:\ncolor:")).toEqual(
    [],
  );
});

test("findings come in the order of their lines, whatever the line ends are", () => {
  const fields = "color: teal\r\nmodel: big\r\nmemory: none\r\ntools: nope";
  expect(found(fields)).toEqual(["V-AG-16 warning 4:1", "V-AG-08 error 5:1", "V-AG-11 error 6:1", "V-AG-05 error 7:1"]);
});
