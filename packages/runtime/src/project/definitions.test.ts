import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { agentNamed, type DefinitionPlaces, findDefinitions, loadDefinitions } from "./definitions.ts";

let top: string;
let usual: DefinitionPlaces;
beforeEach(() => {
  top = scratch();
  mkdirSync(join(top, "repo/.git"), { recursive: true });
  const cwd = join(top, "repo/packages/inner");
  mkdirSync(cwd, { recursive: true });
  usual = { root: join(top, "root"), cwd, isTrusted: true, revision: "2026-11", builtIns: [] };
});

const put = (path: string, text: string): string => {
  const file = join(top, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};
const definition = (name: string, more = "", prompt = "You work.") =>
  `---\nname: ${name}\ndescription: Does the work of ${name}.\n${more}---\n${prompt}\n`;
const load = (more: Partial<DefinitionPlaces> = {}) => loadDefinitions({ ...usual, ...more });
const namesOf = (more?: Partial<DefinitionPlaces>) => load(more).agents.map(({ agentType }) => agentType);

test("[DEF-30] [ATP-DEF-016] of one name the strongest counts: managed, flag, nearest project, project, user, plugin, built-in", () => {
  const builtIns = ["Worker", "tools:worker"].map((agentType) => ({
    agentType,
    whenToUse: "Works.",
    getSystemPrompt: () => "built-in",
    source: "built-in" as const,
  }));
  put("plugin/agents/worker.md", definition("worker", "", "plugin"));
  const weakest = { builtIns, plugins: [{ name: "tools", directory: join(top, "plugin") }] };
  const worker = (more: Partial<DefinitionPlaces> = {}) => {
    const { agents, problems } = load({ ...weakest, ...more });
    expect(problems).toEqual([]);
    expect(agents).toHaveLength(2);
    expect(agentNamed(agents, "tools:worker")).toMatchObject({ source: "plugin" });
    const { source, file, getSystemPrompt } = agentNamed(agents, "worker") ?? expect.unreachable();
    return [source, file?.replace(top, ""), getSystemPrompt()];
  };
  expect(worker()).toEqual(["built-in", undefined, "built-in"]);
  put("root/agents/a/worker.md", definition("worker", "", "user"));
  expect(worker()).toEqual(["user", "/root/agents/a/worker.md", "user"]);
  put("repo/.claude/agents/worker.md", definition("worker", "", "repository"));
  expect(worker()).toEqual(["project", "/repo/.claude/agents/worker.md", "repository"]);
  put("repo/packages/.claude/agents/x.md", definition("worker", "", "nearer"));
  expect(worker()).toEqual(["project", "/repo/packages/.claude/agents/x.md", "nearer"]);
  const flag = JSON.stringify({ worker: { description: "Works.", prompt: "flag" } });
  expect(worker({ flag })).toEqual(["flag", "--agents", "flag"]);
  put("managed/worker.md", definition("worker", "", "managed"));
  expect(worker({ flag, managed: join(top, "managed") })).toEqual(["managed", "/managed/worker.md", "managed"]);
});

test("what lies above the repository, and above a folder outside of any, is not read", () => {
  put(".claude/agents/above.md", definition("above"));
  expect(namesOf()).toEqual([]);
  mkdirSync(join(top, "loose/deep"), { recursive: true });
  put("loose/.claude/agents/near.md", definition("near"));
  expect(namesOf({ cwd: join(top, "loose/deep") })).toEqual([]);
  expect(namesOf({ cwd: join(top, "loose") })).toEqual(["near"]);
});

test("the user's own directory is the user's, even where it lies like a project's", () => {
  put("home/.claude/agents/mine.md", definition("mine", "permissionMode: acceptEdits\n"));
  const home = { cwd: join(top, "home"), root: join(top, "home/.claude"), isTrusted: false };
  expect(load(home)).toMatchObject({ agents: [{ source: "user", permissionMode: "acceptEdits" }], problems: [] });
});

test("an agent is found whatever case and separators its name is asked for with, and no other is", () => {
  put("root/agents/r.md", definition("code-reviewer"));
  const { agents } = load();
  for (const type of ["code-reviewer", "Code_Reviewer", "codeReviewer", " code reviewer "])
    expect(agentNamed(agents, type)?.agentType).toBe("code-reviewer");
  for (const type of ["code-review", "code:reviewer", "", "general-purpose"])
    expect(agentNamed(agents, type)).toBeUndefined();
});

test("two names that are asked for alike are one: the stronger counts, and the other is told of", () => {
  put("repo/.claude/agents/r.md", definition("codereviewer"));
  put("root/agents/r.md", definition("code-reviewer"));
  const { agents, problems } = load();
  expect(agents).toMatchObject([{ agentType: "codereviewer", source: "project" }]);
  expect(problems).toMatchObject([
    { file: join(top, "root/agents/r.md"), message: expect.stringContaining("is not used") },
  ]);
});

test("of several files of one directory with one name the first counts, and each other is told of", () => {
  const names = ["one", "three", "two"];
  const [first = "", ...others] = names.map((file) => put(`root/agents/${file}.md`, definition("twin", "", file)));
  const { agents, problems } = load();
  expect(agents.map(({ file }) => file)).toEqual([first]);
  expect(problems).toEqual(others.map((file) => ({ file, message: expect.stringContaining(first) })));
});

test("a file that is wrong is told with its line, and hides no other", () => {
  const broken = put("root/agents/broken.md", "---\nname: broken\n---\nText\n");
  const partly = put("root/agents/partly.md", definition("partly", "maxTurns: many\n"));
  put("root/agents/sound.md", definition("sound"));
  const { agents, problems } = load({ flag: "{" });
  expect(agents.map(({ agentType }) => agentType)).toEqual(["partly", "sound"]);
  expect(problems).toEqual([
    { file: "--agents", message: expect.stringContaining("not valid JSON") },
    expect.objectContaining({ file: broken }),
    { file: partly, line: 4, message: expect.stringContaining("maxTurns") },
  ]);
});

test("what is loaded stays as it was: a file that comes, goes or changes later is not seen until definitions are loaded again", () => {
  const gone = put("root/agents/gone.md", definition("gone"));
  const changed = put("root/agents/changed.md", definition("changed", "", "Before."));
  const before = load();
  rmSync(gone);
  writeFileSync(changed, definition("changed", "", "After."));
  put("root/agents/new.md", definition("new"));
  expect(before.agents.map(({ agentType }) => agentType)).toEqual(["changed", "gone"]);
  expect(before.agents[0]?.getSystemPrompt()).toBe("Before.");
  expect(load().agents.map((agent) => agent.getSystemPrompt())).toEqual(["After.", "You work."]);
});

test("[DEF-27] [DEF-33] a plugin's agents carry its name and their directories in front, and a file without a name its file's", () => {
  put("plugin/agents/review/strict.md", definition("strict"));
  put("plugin/agents/plain.md", "---\ndescription: Plain.\n---\nYou work.\n");
  put("plugin/elsewhere.md", definition("elsewhere"));
  expect(namesOf({ plugins: [{ name: "kit", directory: join(top, "plugin") }] })).toEqual([
    "kit:plain",
    "kit:review:strict",
  ]);
});

describe("what could run a command or ask less", () => {
  const fields = [
    "hooks: {Stop: [{hooks: [{type: command, command: ./evil}]}]}",
    "mcpServers: [github, {evil: {command: ./evil}}, {far: {url: 'http://evil'}}]",
    "permissionMode: bypassPermissions",
    "tools: Read, Bash\n",
  ].join("\n");

  test("[DEF-13] a definition that could run a command or ask less does not count in a project that is not trusted; its agents are there all the same, and it is told", () => {
    const file = put("repo/.claude/agents/a.md", definition("a", fields));
    const trusted = load();
    expect(trusted.problems).toEqual([]);
    expect(trusted.agents).toMatchObject([{ hooks: { Stop: [{}] }, permissionMode: "bypassPermissions" }]);
    expect(trusted.agents[0]?.mcpServers).toHaveLength(3);
    const { agents, problems } = load({ isTrusted: false });
    expect(agents).toMatchObject([{ agentType: "a", tools: ["Read", "Bash"], mcpServers: ["github"] }]);
    for (const field of ["hooks", "permissionMode"]) expect(agents[0]).not.toHaveProperty(field);
    expect(problems).toEqual(
      ["hooks", "mcpServers", "permissionMode"].map((field) => ({
        file,
        message: expect.stringMatching(`^${field} has no effect, since this folder is not trusted`),
      })),
    );
  });

  test("a definition that could run a command or ask less counts for whom the person or the machine's owner wrote it, trusted folder or not", () => {
    put("root/agents/a.md", definition("a", fields));
    put("managed/b.md", definition("b", fields));
    const flag = JSON.stringify({ c: { description: "C.", prompt: "C.", permissionMode: "bypassPermissions" } });
    const { agents, problems } = load({ isTrusted: false, managed: join(top, "managed"), flag });
    expect(agents.map(({ permissionMode }) => permissionMode)).toEqual(Array(3).fill("bypassPermissions"));
    expect(agents.map(({ hooks }) => hooks !== undefined)).toEqual([true, true, false]);
    expect(problems).toEqual([]);
  });

  test("never counts for a plugin, and it is told", () => {
    put("plugin/agents/a.md", definition("a", fields));
    const { agents, problems } = load({ plugins: [{ name: "kit", directory: join(top, "plugin") }] });
    for (const field of ["hooks", "mcpServers", "permissionMode"]) expect(agents[0]).not.toHaveProperty(field);
    expect(problems).toHaveLength(3);
  });

  test.each([
    ["default", true],
    ["manual", true],
    ["plan", true],
    ["dontAsk", true],
    ["acceptEdits", false],
    ["auto", false],
    ["bypassPermissions", false],
  ])("the mode %s stays where nobody is trusted only if it asks no less: %s", (permissionMode, stays) => {
    put("repo/.claude/agents/a.md", definition("a", `permissionMode: ${permissionMode}\n`));
    const { agents, problems } = load({ isTrusted: false });
    expect(agents[0]?.permissionMode).toBe(stays ? permissionMode : undefined);
    expect(problems).toHaveLength(stays ? 0 : 1);
  });
});

test.each([
  ["2026-02", ["Stop"], 1],
  ["2026-11", ["SessionStart", "Stop"], 0],
] as const)(
  "[DEF-14] [ATP-DEF-011] [ATP-DEF-102] in %s hooks on %j are in force, others are told of",
  (revision, events, told) => {
    const hook = "[{hooks: [{type: command, command: x}]}]";
    put("root/agents/a.md", definition("a", `hooks: {SessionStart: ${hook}, Stop: ${hook}}\n`));
    const { agents, problems } = load({ revision });
    expect(Object.keys(agents[0]?.hooks ?? {})).toEqual(events);
    expect(problems).toHaveLength(told);
  },
);

test("three hundred files are three hundred agents, in the order of their names", () => {
  const names = Array.from({ length: 300 }, (_, at) => `agent-${String(at).padStart(3, "0")}`);
  for (const name of names.toReversed()) put(`root/agents/${name.slice(-1)}/${name}.md`, definition(name));
  expect(namesOf()).toEqual(names);
});

test("everything found is shown, what is hidden and what cannot be used too, the strongest first", () => {
  put("repo/.claude/agents/a.md", definition("a"));
  put("root/agents/a.md", definition("a"));
  put("root/agents/bad.md", "no front matter");
  symlinkSync("nowhere", join(top, "root/agents/dangling.md"));
  const found = findDefinitions(usual).map(({ source, file, isUsed, text, problems }) => [
    source,
    file.slice(top.length + 1),
    isUsed,
    text !== undefined,
    problems.length > 0,
  ]);
  expect(found).toEqual([
    ["project", "repo/.claude/agents/a.md", true, true, false],
    ["user", "root/agents/dangling.md", false, false, true],
    ["user", "root/agents/a.md", false, true, false],
    ["user", "root/agents/bad.md", false, true, true],
  ]);
});

test("in a project that is not trusted a link to a definition outside of it is told and not followed", () => {
  mkdirSync(join(top, "repo/.claude/agents"), { recursive: true });
  symlinkSync(put("elsewhere/spy.md", definition("spy")), join(top, "repo/.claude/agents/spy.md"));
  const { agents, problems } = load({ isTrusted: false });
  expect(agents).toEqual([]);
  expect(problems.map(({ message }) => message).join()).toContain("leads out of a project that is not trusted");
  expect(namesOf()).toEqual(["spy"]);
});
