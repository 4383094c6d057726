import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { AgentDefinition } from "./definition.ts";
import { lintAgentDefinition } from "./lint.ts";
import { parseAgentDefinition } from "./parse.ts";
import { renderAgentDefinition } from "./render.ts";

const corpus = new URL("../../corpus/agents/", import.meta.url);
const read = (file: string) =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(readFileSync(new URL(file, corpus)));
const stems = (folder: string) =>
  readdirSync(new URL(folder, corpus)).flatMap((file) => (file.endsWith(".md") ? [file.slice(0, -3)] : []));

/**
 * `loads`: the fields that differ from the default below, and no others. `partly`: some of the
 * fields. `warns` and `fails`: line and field of the problems, `says` a word of the message.
 * `lint`: rules broken, with their lines.
 */
interface Expectation {
  readonly loads?: Readonly<Record<string, unknown>>;
  readonly partly?: Readonly<Record<string, unknown>>;
  readonly warns?: readonly string[];
  readonly fails?: string;
  readonly says?: string;
  readonly lint?: readonly string[];
}
const expectations = new Map<string, Expectation>(Object.entries(JSON.parse(read("wild/expectations.json"))));
const usual = {
  name: "helper",
  description: "Checks a change before it is merged.",
  prompt: "You review changes.",
};

test("every shape found in the wild has its expectation, and the other way round", () => {
  expect([...expectations.keys()]).toEqual(stems("wild").sort());
  expect(expectations.size).toBeGreaterThanOrEqual(110);
});

test.each([...expectations])("a definition in the shape %s yields what is expected of it", (shape, expected) => {
  const { definition, problems } = parseAgentDefinition(read(`wild/${shape}.md`));
  const places = problems.map(({ line, path }) => `${line} ${path || "file"}`);
  if (expected.fails) {
    expect(definition).toBeUndefined();
    expect(places[0]).toBe(expected.fails);
    expect(problems[0]?.message).toContain(expected.says);
  } else {
    expect(places).toEqual(expected.warns ?? []);
    if (expected.partly) expect(definition).toMatchObject(expected.partly);
    else expect(definition).toEqual({ ...usual, ...expected.loads });
  }
});

test.each([...expectations])("the linter finds what there is to find in the shape %s", (shape, { lint = [] }) => {
  const findings = lintAgentDefinition({ path: `.claude/agents/${shape}.md`, text: read(`wild/${shape}.md`) });
  expect([...new Set(findings.map(({ rule, line }) => `${rule}@${line}`))].sort()).toEqual(lint);
});

test("every problem and every finding names the field or the line, and a fix", () => {
  const bad = [...expectations.keys()].flatMap((shape) => {
    const text = read(`wild/${shape}.md`);
    const { problems } = parseAgentDefinition(text);
    const findings = lintAgentDefinition({ path: `agents/${shape}.md`, text });
    const lines = text.split(/\r\n?|\n/).length;
    return [...problems, ...findings].flatMap(({ path, message, fix, line = 0, column = 0 }) => {
      const field = path.split("/")[1];
      const isPlaced = line >= 1 && line <= lines && column >= 1;
      const isNamed = field === undefined ? isPlaced : message.includes(field);
      return isPlaced && isNamed && message.length >= 15 && fix.length >= 5 ? [] : [`${shape}: ${message} | ${fix}`];
    });
  });
  expect(bad).toEqual([]);
});

test("a file that loads is a definition, and is the same after writing and reading it again", () => {
  for (const shape of expectations.keys()) {
    const { definition } = parseAgentDefinition(read(`wild/${shape}.md`));
    if (!definition) continue;
    expect(AgentDefinition.safeParse(definition).error, shape).toBeUndefined();
    expect(parseAgentDefinition(renderAgentDefinition(definition)).definition, shape).toEqual(definition);
  }
});

test.each([
  [
    "code-reviewer",
    { tools: ["Read", "Grep", "Glob"], model: "sonnet", color: "blue", maxTurns: 30, memory: "project" },
  ],
  ["knowledge-keeper", { permissionMode: "acceptEdits", model: "haiku", color: "green", maxTurns: 20 }],
  [
    "db-analyst",
    {
      mcpServers: ["database-server", { command: "npx", args: ["-y", "@example/analytics-server"] }],
      permissionMode: "default",
    },
  ],
  ["task-checker", { hooks: { Stop: [{ hooks: [{ type: "prompt", model: "haiku", timeout: 15 }] }] }, maxTurns: 50 }],
  ["auto-formatter", { permissionMode: "dontAsk", tools: ["Read", "Write", "Edit", "Bash", "Glob"] }],
  [
    "background-reviewer",
    { name: "code-reviewer", background: true, tools: ["Read", "Grep", "Glob"], permissionMode: "acceptEdits" },
  ],
])("[DEF-50] the seeds' example %s loads whole and breaks no rule", (stem, fields) => {
  const text = read(`seed/${stem}.md`);
  const { definition, problems } = parseAgentDefinition(text);
  expect(problems).toEqual([]);
  expect(definition).toMatchObject({ name: stem, ...fields });
  expect(definition?.prompt).not.toBe("");
  expect(lintAgentDefinition({ path: `.claude/agents/${stem}.md`, text })).toEqual([]);
});

test("[DEF-50] the only error in the seed's full front matter is that tools and disallowedTools stand together", () => {
  const text = read("seed/full-front-matter.md");
  const surroundings = { skills: ["api-conventions", "error-handling-patterns"], mcpServers: ["database-server"] };
  const findings = lintAgentDefinition({ path: "agents/code-reviewer.md", text, surroundings });
  expect(findings.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual(["V-AG-07 error", "V-AG-15 warning"]);
  expect(parseAgentDefinition(text).definition).toEqual({
    name: "code-reviewer",
    description: "Reviews code quality including correctness, security, performance and maintainability analysis.",
    tools: ["Read", "Grep", "Glob"],
    disallowedTools: ["Write", "Edit"],
    model: "sonnet",
    color: "blue",
    permissionMode: "default",
    maxTurns: 30,
    skills: ["api-conventions", "error-handling-patterns"],
    mcpServers: ["database-server", { command: "npx", args: ["-y", "@example/mcp-server"] }],
    hooks: {
      PreToolUse: [
        { matcher: "Bash", hooks: [{ type: "command", command: "$" + "{CLAUDE_PLUGIN_ROOT}/scripts/validate.sh" }] },
      ],
    },
    memory: "project",
    prompt: "",
  });
});
