import fc from "fast-check";
import { expect, test } from "vitest";
import {
  agentTypes,
  allowsTool,
  coversTool,
  isKnownTool,
  knownTools,
  namesAgentType,
  parseToolRule,
  parseToolRules,
  renderToolRule,
  similarTool,
  splitToolList,
  type ToolRule,
} from "./tool-rules.ts";

const rule = (text: string): ToolRule => {
  const parsed = parseToolRule(text);
  if (!parsed.rule) throw new Error(parsed.problem.message);
  return parsed.rule;
};

test.each([
  ["Read, Grep, Glob", ["Read", "Grep", "Glob"]],
  ["Bash(git:*) Edit Read", ["Bash(git:*)", "Edit", "Read"]],
  ["Read, Grep, Task(a, b)", ["Read", "Grep", "Task(a, b)"]],
  ["Bash(npm run test, lint) , Read", ["Bash(npm run test, lint)", "Read"]],
  ["Bash(echo (one) two),Read", ["Bash(echo (one) two)", "Read"]],
  ["Bash(echo \\)) Read", ["Bash(echo \\))", "Read"]],
  ["Bash (git:*) Read", ["Bash (git:*)", "Read"]],
  ["Read,, ,\n\tGrep,", ["Read", "Grep"]],
  ["Read, Bash(git:*, Edit", ["Read", "Bash(git:*, Edit"]],
  ["", []],
])("[DEF-05] the list %j is cut at commas and blanks, never inside parentheses", (text, items) => {
  expect(splitToolList(text)).toEqual(items);
});

test.each<[string, ToolRule]>([
  ["Read", { kind: "tool", name: "Read", spelling: "Read" }],
  ["Bash(git:*)", { kind: "tool", name: "Bash", spelling: "Bash", argument: "git:*" }],
  ["Task(Explore)", { kind: "tool", name: "Agent", spelling: "Task", argument: "Explore" }],
  ["Agent(a, b)", { kind: "tool", name: "Agent", spelling: "Agent", argument: "a, b" }],
  ["KillShell", { kind: "tool", name: "TaskStop", spelling: "KillShell" }],
  ["Read(//tmp/**)", { kind: "tool", name: "Read", spelling: "Read", argument: "//tmp/**" }],
  ["*", { kind: "every" }],
])("[DEF-53] [ATP-DEF-004] %s is understood and written back as it was", (text, expected) => {
  expect(rule(text)).toEqual(expected);
  expect(renderToolRule(rule(text))).toBe(text);
});

test.each<[string, object]>([
  ["mcp__database-server__query", { server: "database-server", tool: "query" }],
  ["mcp__github__create_issue", { server: "github", tool: "create_issue" }],
  ["mcp__github__get_*", { server: "github", tool: "get_*" }],
  ["mcp__plugin_a_b__do__it", { server: "plugin_a_b", tool: "do__it" }],
  ["mcp__context7", { server: "context7" }],
  ["mcp__context7__*", { server: "context7" }],
  ["mcp__*", {}],
])("[DEF-52] the MCP name %s is its server and its tool", (text, expected) => {
  expect(rule(text)).toEqual({ kind: "mcp", spelling: text, ...expected });
  expect(renderToolRule(rule(text))).toBe(text);
});

test.each([
  ["", "names no tool"],
  ["(git:*)", "names no tool"],
  ["Bash(git:*", "never closed"],
  ["Bash(git:*)x", "goes on"],
  ["Bash)", "without its"],
  ["Bash()", "empty parentheses"],
  ["Task( )", "empty parentheses"],
  ["Task(a,,b)", "empty agent type"],
  ["Bash (git:*)", "blank before"],
  ["Read|Write", "not a tool's name"],
  ["42", "not a tool's name"],
  ["mcp__", "not an MCP name"],
  ["mcp__server__", "not an MCP name"],
  ["mcp____tool", "not an MCP name"],
  ["mcp__*__tool", "not an MCP name"],
  ["mcp__server__tool(x)", "cannot take parentheses"],
  ["*(x)", "cannot take parentheses"],
])("the malformed rule %j is a problem that says what to write", (text, says) => {
  const { problem } = parseToolRule(text, "/tools/3");
  expect(problem).toMatchObject({ path: "/tools/3", code: "field_invalid" });
  expect(problem?.message).toContain(says);
  expect(problem?.fix).not.toBe("");
});

test("a blank before the parenthesis does not turn a part of a tool into the whole of it", () => {
  expect(parseToolRules("Bash (git:*)").rules).toEqual([]);
});

test("[DEF-05] a list and a string with the same names are the same rules", () => {
  expect(parseToolRules(["Read", "Task(a, b)"])).toEqual(parseToolRules("Read, Task(a, b)"));
  expect(splitToolList(["Read", "Task(a", "b", "c)", "Edit"])).toEqual(["Read", "Task(a, b, c)", "Edit"]);
  expect(splitToolList(["Bash(git:*", "Read", "Edit"])).toEqual(["Bash(git:*", "Read", "Edit"]);
});

test("[DEF-51] the built-in tools of the seed are known", () => {
  const seed =
    "AskUserQuestion Bash TaskOutput Edit ExitPlanMode Glob Grep KillShell MCPSearch NotebookEdit Read Skill Task TaskCreate TaskGet TaskList TaskUpdate WebFetch WebSearch Write LSP";
  expect(seed.split(" ").filter((name) => !isKnownTool(name))).toEqual([]);
});

test("[DEF-63] the legal names are the union of the seeds, today's list and MCP names, and no other", () => {
  const later = [
    "SendMessage",
    "TeamCreate",
    "TeamDelete",
    "EnterPlanMode",
    "Agent",
    "TaskStop",
    "CronCreate",
    "Monitor",
  ];
  const mcp = ["mcp__database-server__query", "mcp__server", "mcp__*", "*"];
  expect([...later, ...mcp].filter((name) => !isKnownTool(name))).toEqual([]);
  expect(["read", "view_file", "mcp__", "MultiEdit", "constructor", "__proto__", ""].filter(isKnownTool)).toEqual([]);
  expect(knownTools.size).toBeGreaterThan(27);
});

test("a name in other letters suggests the tool", () => {
  expect(similarTool("web_fetch")).toBe("WebFetch");
  expect(similarTool("bash")).toBe("Bash");
  expect(similarTool("view_file")).toBeUndefined();
});

test("[DEF-53] the agent types are those between the parentheses", () => {
  expect(agentTypes(rule("Task(Explore)"))).toEqual(["Explore"]);
  expect(agentTypes(rule("Agent(a, b)"))).toEqual(["a", "b"]);
  expect(agentTypes(rule("Agent"))).toBeUndefined();
  expect(agentTypes(rule("Bash(a, b)"))).toBeUndefined();
});

test("[DEF-58] [DEF-59] Task(name) under deny or --disallowedTools names the one agent it takes away", () => {
  const [denied] = parseToolRules(["Task(Explore)"]).rules;
  expect(denied && namesAgentType(denied, "Explore")).toBe(true);
  expect(denied && namesAgentType(denied, "Plan")).toBe(false);
  expect(namesAgentType(rule("Agent(Explore, Plan)"), "Plan")).toBe(true);
  expect(namesAgentType(rule("Task"), "Plan")).toBe(true);
  expect(namesAgentType(rule("Read(Explore)"), "Explore")).toBe(false);
});

test.each([
  ["Task", "Agent", true],
  ["Agent(Explore)", "Task", true],
  ["KillShell", "TaskStop", true],
  ["*", "Anything", true],
  ["Read", "Write", false],
  ["mcp__*", "mcp__github__list", true],
  ["mcp__*", "Read", false],
  ["mcp__github", "mcp__github__list", true],
  ["mcp__github", "mcp__githubber__list", false],
  ["mcp__github__get_*", "mcp__github__get_issue", true],
  ["mcp__github__get_*", "mcp__github__list", false],
  ["mcp__github__list", "mcp__github__list", true],
  ["mcp__github__list", "mcp__github__list_all", false],
])("%s covers %s: %s", (text, tool, covers) => {
  expect(coversTool(rule(text), tool)).toBe(covers);
});

test.each<[string, { tools?: string[]; disallowedTools?: string[] }, string[], string[]]>([
  ["no list allows everything", {}, ["Read", "mcp__a__b"], []],
  ["a star allows everything", { tools: ["*"] }, ["Read", "mcp__a__b"], []],
  ["a list allows what it names", { tools: ["Read", "Bash(git:*)"] }, ["Read", "Bash"], ["Write"]],
  ["an empty list allows nothing", { tools: [] }, [], ["Read"]],
  ["what is disallowed is taken away", { disallowedTools: ["Write", "mcp__*"] }, ["Read"], ["Write", "mcp__a__b"]],
  ["first allow, then deny", { tools: ["Read", "Edit"], disallowedTools: ["Edit"] }, ["Read"], ["Edit", "Write"]],
  ["a part of a tool is not the tool", { disallowedTools: ["Bash(rm:*)", "Task(Plan)"] }, ["Bash", "Agent"], []],
  [
    "an illegible denial denies the tool",
    { disallowedTools: ["Bash(rm:*", "Edit ()", "Grep]"] },
    ["Read"],
    ["Bash", "Edit", "Grep"],
  ],
  ["nor does it hide what follows", { disallowedTools: ["Bash(rm:*, Edit", "Write"] }, ["Read"], ["Edit", "Write"]],
  ["an illegible grant grants nothing", { tools: ["Bash (git:*)", "Read"] }, ["Read"], ["Bash"]],
])("[DEF-06] [ATP-DEF-005] %s", (_, definition, allowed, denied) => {
  expect(allowed.filter((tool) => !allowsTool(definition, tool))).toEqual([]);
  expect(denied.filter((tool) => allowsTool(definition, tool))).toEqual([]);
});

test("whatever is written, a rule or a problem comes back, and a rule is written back byte for byte", () => {
  const pieces = fc.constantFrom("Read", "Task", "mcp__", "*", "(", ")", ",", " ", "\\", "a", "_", ":", "__proto__");
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(pieces).map((parts) => parts.join("")),
      ),
      (text) => {
        for (const item of splitToolList(text)) {
          const parsed = parseToolRule(item);
          if (parsed.rule) expect(renderToolRule(parsed.rule)).toBe(item);
          else expect(parsed.problem.fix).not.toBe("");
        }
        expect(splitToolList(splitToolList(text).join(", "))).toEqual(splitToolList(text));
      },
    ),
    { numRuns: 2000 },
  );
});

test("a list of a megabyte is read in one pass", () => {
  expect(splitToolList(`Read${" ".repeat(1_000_000)}Grep`)).toEqual(["Read", "Grep"]);
  expect(parseToolRules(`Bash(${"(".repeat(500_000)}`).problems).toHaveLength(1);
  expect(parseToolRules(`mcp__${"a_".repeat(500_000)}`).problems).toHaveLength(1);
});
