import { expect, test } from "vitest";
import { agentMemory } from "../layout.ts";
import { allowsTool } from "../tool-rules.ts";
import { agentTypeOf } from "./agent-type.ts";
import { parseAgentDefinition } from "./parse.ts";

const file = (fields: string, body = "You review changes.\n") => `---\n${fields}\n---\n\n${body}`;
const usual = "name: helper\ndescription: Checks a change.\n";
const parsed = (fields: string) => parseAgentDefinition(file(usual + fields));
const loaded = (fields: string) => {
  const { definition, problems } = parsed(fields);
  if (!definition) throw new Error(problems[0]?.message);
  return definition;
};

test("[DEF-01] [ATP-DEF-001] the front matter configures the agent, the body is its system prompt", () => {
  const { definition, problems } = parseAgentDefinition(
    file(`${usual}model: opus`, "\nYou review.\r\n\r\n---\r\nBe brief.\n\n"),
  );
  expect(problems).toEqual([]);
  expect(definition).toEqual({
    name: "helper",
    description: "Checks a change.",
    model: "opus",
    prompt: "You review.\n\n---\nBe brief.",
  });
});

test.each([
  ["name is missing", "description: Checks."],
  ["description is missing", "name: helper"],
  ["name is empty", "name:\ndescription: Checks."],
  ["description is empty", "name: helper\ndescription: ''"],
])("[DEF-03] [DEF-04] a file is no definition if %s", (says, fields) => {
  const { definition, problems } = parseAgentDefinition(file(fields));
  expect(definition).toBeUndefined();
  expect(problems[0]?.message).toContain(says);
});

test.each(["../up", "a/b", "a\\b", "plugin:a", "-a", ".", "..", ".hidden", '"a\\tb"', '"a\\x00b"'])(
  "[DEF-03] no agent is called %s, which would lead elsewhere as a path",
  (name) => {
    const { definition, problems } = parseAgentDefinition(file(`name: ${name}\ndescription: Checks.`));
    expect(definition).toBeUndefined();
    expect(problems[0]).toMatchObject({ path: "/name", line: 2 });
  },
);

test("[DEF-27] a plugin's agent carries its namespace in front of its name, or of its file's", () => {
  const { definition } = parseAgentDefinition(file("description: Checks."), { fallbackName: "reviewer" });
  expect(definition && agentTypeOf(definition, "plugin:quality").agentType).toBe("plugin:quality:reviewer");
  expect(agentTypeOf(loaded("")).agentType).toBe("helper");
});

test("[DEF-23] by its other names a definition is agentType, whenToUse and getSystemPrompt, beside its settings", () => {
  const { getSystemPrompt, ...type } = agentTypeOf(loaded("tools: Read\nmemory: user"));
  expect(type).toEqual({ agentType: "helper", whenToUse: "Checks a change.", tools: ["Read"], memory: "user" });
  expect(getSystemPrompt()).toBe("You review changes.");
});

test.each([
  ["tools: Read, Grep", ["Read", "Grep"]],
  ["tools: [Read, Grep]", ["Read", "Grep"]],
  ["tools:\n  - Read\n  - Task(Explore)", ["Read", "Task(Explore)"]],
  ["tools: '*'", ["*"]],
  ["tools: ['*']", ["*"]],
  ["tools: []", []],
])("[DEF-05] [ATP-DEF-004] %j is read as %j", (fields, tools) => {
  expect(loaded(fields).tools).toEqual(tools);
});

test("[DEF-05] without tools, and with a star, the agent has every tool there is", () => {
  expect(loaded("").tools).toBeUndefined();
  expect(allowsTool(loaded(""), "Bash")).toBe(true);
  expect(allowsTool(loaded("tools: *"), "Bash")).toBe(true);
  expect(allowsTool(loaded("tools: []"), "Bash")).toBe(false);
});

test.each(["disallowedTools: Write, Edit", "disallowedTools: [Write, Edit]"])(
  "[DEF-06] [ATP-DEF-005] %j is taken from what is allowed",
  (fields) => {
    const definition = loaded(`tools: Read, Edit\n${fields}`);
    expect(definition.disallowedTools).toEqual(["Write", "Edit"]);
    expect(["Read", "Edit", "Write"].filter((tool) => allowsTool(definition, tool))).toEqual(["Read"]);
  },
);

test.each([
  "tools: {Read: true}",
  "disallowedTools: {Bash: true}",
  "disallowedTools: true",
  "tools: 42",
  "disallowedTools: [Bash",
])("a definition whose bounds cannot be read is not used: %j", (fields) => {
  expect(parsed(fields).definition).toBeUndefined();
});

test.each(["sonnet", "opus", "haiku", "inherit"])("[DEF-07] the model %s is taken without a word", (model) => {
  expect(parsed(`model: ${model}`)).toMatchObject({ definition: { model }, problems: [] });
});

test("[DEF-07] [ATP-DEF-006] a full model id is taken with a warning", () => {
  const { definition, problems } = parsed("model: claude-opus-4-6");
  expect(definition?.model).toBe("claude-opus-4-6");
  expect(problems).toMatchObject([{ path: "/model", line: 4, column: 1 }]);
});

test.each(["default", "acceptEdits", "delegate", "dontAsk", "bypassPermissions", "plan"])(
  "[DEF-09] [ATP-DEF-007] permissionMode %s is taken without a word in 2026-02",
  (permissionMode) => {
    expect(parsed(`permissionMode: ${permissionMode}`)).toMatchObject({ definition: { permissionMode }, problems: [] });
  },
);

test.each(["default", "manual", "acceptEdits", "auto", "plan", "dontAsk", "bypassPermissions"])(
  "[ATP-DEF-101] permissionMode %s is taken without a word in 2026-11",
  (permissionMode) => {
    const text = file(`${usual}permissionMode: ${permissionMode}`);
    expect(parseAgentDefinition(text, { revision: "2026-11" })).toMatchObject({
      definition: { permissionMode },
      problems: [],
    });
  },
);

test("[ATP-DEF-101] delegate is taken with a warning in 2026-11, as auto is in 2026-02", () => {
  const delegate = parseAgentDefinition(file(`${usual}permissionMode: delegate`), { revision: "2026-11" });
  expect(delegate).toMatchObject({
    definition: { permissionMode: "delegate" },
    problems: [{ path: "/permissionMode" }],
  });
  const auto = parsed("permissionMode: auto");
  expect(auto).toMatchObject({ definition: { permissionMode: "auto" }, problems: [{ path: "/permissionMode" }] });
});

test.each(["bubble", "readonly", "Plan", "true"])(
  "[ATP-DEF-007] permissionMode %s becomes the mode that asks, with a warning",
  (mode) => {
    const { definition, problems } = parsed(`permissionMode: ${mode}`);
    expect(definition?.permissionMode).toBe("default");
    expect(problems).toMatchObject([{ path: "/permissionMode", line: 4 }]);
  },
);

test.each(["red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"])(
  "[DEF-15] the colour %s is taken without a word",
  (color) => {
    expect(parsed(`color: ${color}`)).toMatchObject({ definition: { color }, problems: [] });
  },
);

test("[ATP-DEF-014] another colour is taken with a warning", () => {
  expect(parsed("color: teal")).toMatchObject({
    definition: { color: "teal" },
    problems: [{ path: "/color", line: 4 }],
  });
});

test.each([
  ["user", "/home/me/.claude/agent-memory/helper"],
  ["project", "/p/.claude/agent-memory/helper"],
  ["local", "/p/.claude/agent-memory-local/helper"],
])("[DEF-16] [ATP-DEF-009] memory %s lies in %s", (scope, directory) => {
  const { memory, name } = loaded(`memory: ${scope}`);
  expect(memory && agentMemory(memory, name, "/home/me/.claude", "/p")).toBe(directory);
});

test("[DEF-16] [ATP-DEF-009] memory in another scope is not used", () => {
  const { definition, problems } = parsed("memory: global");
  expect(definition && Object.hasOwn(definition, "memory")).toBe(false);
  expect(problems).toMatchObject([{ path: "/memory", line: 4 }]);
});

test.each([
  ["effort: high", { effort: "high" }],
  ["effort: 7", { effort: 7 }],
  ["effort: '7'", { effort: 7 }],
  ["background: true", { background: true }],
  ["background: 'false'", { background: false }],
  ["maxTurns: 8", { maxTurns: 8 }],
  ["maxTurns: '8'", { maxTurns: 8 }],
  ["skills: a, b", { skills: ["a", "b"] }],
  ["skills: [a, 7]", { skills: ["a", "7"] }],
  ["initialPrompt: Begin.", { initialPrompt: "Begin." }],
  ["requiredMcpServers: github", { requiredMcpServers: ["github"] }],
])("the field %j is read as %j", (fields, expected) => {
  expect(loaded(fields)).toMatchObject(expected);
});

test("[DEF-19] isolation is worktree or remote, and anything else is not used", () => {
  expect(loaded("isolation: worktree").isolation).toBe("worktree");
  expect(loaded("isolation: remote").isolation).toBe("remote");
  expect(parsed("isolation: container")).toMatchObject({ problems: [{ path: "/isolation", line: 4 }] });
  expect(loaded("isolation: container").isolation).toBeUndefined();
});

test("[DEF-22] prompt in the front matter counts if there is no body", () => {
  const fields = `${usual}prompt: You are brief.`;
  expect(parseAgentDefinition(file(fields, "")).definition?.prompt).toBe("You are brief.");
  expect(parseAgentDefinition(file(fields)).definition?.prompt).toBe("You review changes.");
});

test("[DEF-24] [DEF-25] run_mode and once have no effect", () => {
  const { background, ...definition } = loaded("run_mode: background\nonce: true");
  expect(background).toBeUndefined();
  expect(definition).toMatchObject({ run_mode: "background", once: true });
});

test("[DEF-26] [ATP-DEF-015] unknown fields are kept and ignored without a word", () => {
  const { definition, problems } = parsed("version: 1.2.0\nmetadata: {tier: [1, two]}\nretries: 3");
  expect(problems).toEqual([]);
  expect(definition).toMatchObject({ version: "1.2.0", metadata: { tier: [1, "two"] }, retries: 3 });
});

test("a misspelt field is reported with the field that was meant, and has no effect", () => {
  const { definition, problems } = parsed("disallowed-tools: Bash\nAllowedTools: Read\nmax_turns: 3");
  expect(problems.map(({ code, fix }) => `${code}: ${fix}`)).toEqual([
    "field_alias: rename disallowed-tools to disallowedTools",
    "field_alias: rename AllowedTools to tools",
    "field_alias: rename max_turns to maxTurns",
  ]);
  expect(definition).not.toHaveProperty("disallowedTools");
});

test.each([
  ["2024-01-02", "2024-01-02"],
  ["yes", "yes"],
  ["off", "off"],
  ["007", "007"],
  ["1e3", "1e3"],
  ["0x1F", "0x1F"],
  ["true", "true"],
])("a name that YAML could take for something else stays text: %s", (written, name) => {
  expect(parseAgentDefinition(file(`name: ${written}\ndescription: Checks.`)).definition?.name).toBe(name);
});

test("a description taken as plain text loses nothing, and the rest of the file is read as usual", () => {
  const description = `Use when: it's "done" & <b>ready</b> [or not] {x} #7 - a: b`;
  const { definition, problems } = parseAgentDefinition(file(`name: helper\ndescription: ${description}\ntools: Read`));
  expect(definition).toMatchObject({ description, tools: ["Read"] });
  expect(problems).toMatchObject([{ path: "/description", code: "document_malformed", line: 3 }]);
});

test("the fix is for the mistake at hand", () => {
  const fixes = [
    "memory:user",
    "tools: *",
    'initialPrompt: "C:\\work"',
    'initialPrompt: "a" or b',
    "initialPrompt: a: b",
  ];
  expect(fixes.map((fields) => parsed(fields).problems[0]?.fix)).toEqual([
    "put a blank after memory:",
    "put the value in double quotes",
    "double the backslash",
    'indent the text below "initialPrompt: |", without quotes',
    'put the text in double quotes, or indent it below "initialPrompt: |"',
  ]);
});

test("front matter of more than 64 KiB is refused, a body of any length is not", () => {
  const { definition, problems } = parsed(`initialPrompt: ${"x".repeat(65_536)}`);
  expect(definition).toBeUndefined();
  expect(problems[0]?.message).toContain("65 KiB");
  expect(parseAgentDefinition(file(usual, "x".repeat(1_000_000))).definition?.prompt).toHaveLength(1_000_000);
});

test("no value that was read can be reached through a prototype", () => {
  const { definition } = parsed("__proto__: {polluted: 1}\nhooks: {__proto__: [], Stop: [{__proto__: 1, hooks: []}]}");
  expect(Object.getPrototypeOf(definition)).toBe(Object.prototype);
  expect(definition && Object.hasOwn(definition, "__proto__")).toBe(false);
  expect(JSON.stringify(definition)).not.toContain("__proto__");
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});
