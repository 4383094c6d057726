import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { openTroupe, sample } from "./command-line.ts";

const { home, root, troupe, told, json, refusal } = openTroupe();
const project = join(home, "project");
const definition = (name: string, more = "") => `---\nname: ${name}\ndescription: Reviews.\n${more}---\nYou review.\n`;
const write = (directory: string, file: string, text: string) => {
  mkdirSync(join(directory, file, ".."), { recursive: true });
  writeFileSync(join(directory, file), text);
};
write(root, "agents/reviewer.md", definition("reviewer", "model: opus\n"));
write(root, "agents/deep/own.md", definition("own", "tools: Read, Grep\n"));
write(project, ".claude/agents/reviewer.md", definition("reviewer", "color: blue\n"));
write(project, "inner/.claude/agents/bad.md", "---\nname: bad\ntools: [Read]\nmaxTurns: many\n---\n\u001b[2J\n");
mkdirSync(join(project, ".git"));
const here = { cwd: join(project, "inner") };

test("definitions are found up to the repository and in the root, and the nearest of one name counts", () => {
  const { definitions } = json("agents-list", ["agents", "list"], here);
  const found = definitions.map(({ file, scope, isUsed, name }: Record<string, unknown>) => [
    file,
    scope,
    isUsed,
    name,
  ]);
  expect(found).toEqual([
    [".claude/agents/bad.md", "project", false, null],
    [join(project, ".claude/agents/reviewer.md"), "project", true, "reviewer"],
    [join(root, "agents/deep/own.md"), "user", true, "own"],
    [join(root, "agents/reviewer.md"), "user", false, "reviewer"],
  ]);
  const text = troupe(["agents", "list"], here).stdout;
  expect(text).toMatch(/bad.md .*cannot be used/);
  expect(text).toMatch(/reviewer +opus .*a nearer one is used/);
  mkdirSync(join(home, "empty"));
  expect(troupe(["agents", "list", "--root", join(home, "none")], { cwd: join(home, "empty") })).toMatchObject({
    status: 0,
    stdout: "",
    stderr: expect.stringMatching(/^note: there are no agent definitions here/),
  });
});

test("definitions are judged with line, rule and remedy; an error ends with 1, a warning with 0", () => {
  const { findings, errors } = json("agents-lint", ["agents", "lint"], { ...here, status: 1 });
  expect(errors).toBe(findings.filter(({ severity }: { severity: string }) => severity === "error").length);
  expect(findings).toContainEqual(expect.objectContaining({ file: ".claude/agents/bad.md", rule: "V-AG-04", line: 1 }));
  const { status, stdout } = troupe(["agents", "lint", ".claude/agents/bad.md"], here);
  expect(status).toBe(1);
  expect(stdout).toMatch(/^\.claude\/agents\/bad\.md\n {2}\d+:\d+ error V-AG-\d\d: .*\n {4}fix: /);
  expect(told("agents", "lint", join(root, "agents"))).toBe("2 files, 0 errors, 0 warnings, 0 notes\n");
  expect(refusal(3, ["agents", "lint", "nowhere.md"])).toContain("nowhere.md: there is no such file");
});

test("a definition is shown as it is understood, by its name or its file, and what makes each part of it so", () => {
  const inspected = json("agents-inspect", ["agents", "inspect", "reviewer"], here);
  expect(inspected).toMatchObject({
    definition: { name: "reviewer", color: "blue", prompt: "You review." },
    problems: [],
  });
  const own = told("agents", "inspect", "own");
  for (const line of [
    /^own {2}.*deep\/own\.md$/,
    /^ {2}tools +Read, Grep +tools at .*deep\/own\.md:4$/,
    /^ {2}You review\.$/,
  ]) {
    expect(own.split("\n")).toContainEqual(expect.stringMatching(line));
  }
  const bad = json("agents-inspect", ["agents", "inspect", ".claude/agents/bad.md"], { ...here, status: 1 });
  expect(bad).toMatchObject({
    definition: null,
    effective: [],
    problems: expect.arrayContaining([expect.objectContaining({ line: 4 })]),
  });
  expect(refusal(3, ["agents", "inspect", "reviewr"], here)).toContain("did you mean reviewer?");
  expect(refusal(3, ["agents", "inspect", "none.md"], here)).toContain("there is no such file");
});

describe("what an agent would work with is shown with what makes it so", () => {
  const keeper = "model: haiku\npermissionMode: plan\nmemory: local\ntools: Grep\nmaxTurns: 3\neffort: high\n";
  const kept = join(home, "kept");
  write(kept, ".claude/agents/keeper.md", definition("keeper", keeper));
  mkdirSync(join(kept, ".git"));
  const partsOf = (name: string, args: readonly string[] = [], given: object = {}) => {
    const { effective } = json("agents-inspect", ["agents", "inspect", name, ...args], { cwd: kept, ...given });
    return new Map<unknown, readonly unknown[]>(
      effective.map(({ field, value, from }: Record<string, string>) => [field, [value, from]]),
    );
  };
  const at = (line: number) => `.claude/agents/keeper.md:${line}`;

  test("the definition's own: each part has its line", () => {
    const parts = partsOf("keeper");
    expect(parts.get("model")).toEqual([expect.stringMatching(/^claude-haiku-\S+ \(haiku\)$/), at(4)]);
    expect(parts.get("tools")).toEqual([
      "Read, Write, Edit, Grep",
      `tools at ${at(7)}; Read, Write, Edit by memory at ${at(6)}`,
    ]);
    expect(parts.get("mode")).toEqual(["plan, and never more than its session's", at(5)]);
    expect(parts.get("memory")).toEqual([`local: ${join(kept, ".claude/agent-memory-local/keeper")}`, at(6)]);
    expect([parts.get("maxTurns"), parts.get("effort")]).toEqual([
      ["3", at(8)],
      ["high", at(9)],
    ]);
  });

  test("what it does not say is the usual of the revision, of a built-in agent too", () => {
    const parts = partsOf("own");
    expect(parts.get("model")).toEqual(["its caller's", "the usual in 2026-02"]);
    expect(parts.get("mode")).toEqual(["default, and never more than its session's", "the usual in 2026-02"]);
    expect(parts.get("memory")).toEqual(["none", "the usual in 2026-02"]);
    const later = partsOf("Explore", ["--revision", "2026-11"]);
    expect(later.get("mode")?.[0]).toMatch(/^its caller's/);
    expect(later.get("tools")?.[0]).toBe("Read, Glob, Grep, WebFetch");
  });

  test("variables, rules and the command line are named where they decide", () => {
    const env = { CLAUDE_CODE_SUBAGENT_MODEL: "opus" };
    expect(partsOf("keeper", [], { env }).get("model")).toEqual([
      expect.stringMatching(/opus/),
      "CLAUDE_CODE_SUBAGENT_MODEL",
    ]);
    write(root, "settings.json", JSON.stringify({ permissions: { deny: ["Agent(keeper)"], defaultMode: "dontAsk" } }));
    expect(partsOf("keeper").get("mode")).toEqual([
      "plan, and never more than its session's, dontAsk",
      `${at(5)}; defaultMode of the user settings`,
    ]);
    expect(partsOf("keeper").get("start")).toEqual(["denied", expect.stringMatching(/rule Agent\(keeper\) \(user\)/)]);
    rmSync(join(root, "settings.json"));
    const agents = JSON.stringify({ keeper: { description: "Keeps.", prompt: "You keep.", model: "opus" } });
    expect(partsOf("keeper", ["--agents", agents]).get("model")).toEqual([expect.stringMatching(/opus/), "--agents"]);
  });

  test("what has no effect where it stands is not shown as if it had, and is told", () => {
    write(kept, ".claude/agents/bold.md", definition("bold", "permissionMode: bypassPermissions\nmemory: user\n"));
    const answer = json("agents-inspect", ["agents", "inspect", "bold"], { cwd: kept });
    const parts = new Map(answer.effective.map(({ field, value }: Record<string, string>) => [field, value]));
    expect([parts.get("mode"), parts.get("memory")]).toEqual(["default, and never more than its session's", "none"]);
    expect(answer.problems.map(({ path }: { path: string }) => path)).toEqual(["/permissionMode", "/memory"]);
  });
});

test("every published schema is listed, and printed as one that a validator takes", () => {
  const { schemas } = json("schema-list", ["schema", "list"]);
  const revisionsOf = (kind: string) => schemas.find((one: { kind: string }) => one.kind === kind)?.revisions;
  expect(revisionsOf("task")).toEqual(["2026-02", "2026-11"]);
  expect(revisionsOf("tool-TeamCreate-input")).toEqual(["2026-02"]);
  expect(told("schema", "list", "--revision", "2026-11")).not.toContain("TeamCreate");
  const task = { id: "1", subject: "s", description: "d", status: "pending", blocks: [], blockedBy: [] };
  const schema = JSON.parse(told("schema", "print", "task", "--revision", "2026-02"));
  const validate = new Ajv2020({ allowUnionTypes: true }).compile(schema);
  expect([validate(task), validate({ ...task, status: "odd" })]).toEqual([true, false]);
  expect(json("schema-print", ["schema", "print", "task"]).$id).toBe("urn:troupe:schema:2026-11:task");
  expect(json("schema-print", ["schema", "print", "tool-TeamCreate-input"]).$id).toContain("2026-02");
});

test("a file is judged by each revision: right in one is enough, and each problem has its place", () => {
  const config = join(sample, "teams/parser-team/config.json");
  expect(told("schema", "validate", "team-config", config)).toContain("right  ");
  write(home, "3.json", '{\n  "id": "3",\n  "status": "odd",\n  "blocks": [7]\n}');
  const { verdicts } = json("schema-validate", ["schema", "validate", "task", "3.json"], { status: 1 });
  expect(verdicts).toMatchObject([{ revision: "2026-02" }, { revision: "2026-11" }]);
  const places = verdicts[0].problems.map(({ path, line, column }: Record<string, unknown>) => [path, line, column]);
  expect(places).toEqual(
    expect.arrayContaining([
      ["/status", 3, 13],
      ["/blocks/0", 4, 14],
    ]),
  );
  const { status, stdout } = troupe(["schema", "validate", "task", "3.json", "--revision", "2026-11"]);
  expect({ status, stdout }).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/^wrong {2}3\.json as task of 2026-11\n {2}3\.json:\d/),
  });
  const idle = JSON.stringify({ type: "idle_notification", from: "a", timestamp: "2026-02-13T10:45:27.138Z" });
  const judged = json("schema-validate", ["schema", "validate", "message-idle_notification", "-"], { input: idle });
  expect(judged.verdicts).toMatchObject([{ revision: "2026-02", isRight: false }, { isRight: true }]);
});

test.each<[number, string[], string]>([
  [2, ["print", "tsk"], "there is no schema tsk; did you mean task?"],
  [
    2,
    ["print", "tool-TeamCreate-input", "--revision", "2026-11"],
    "there is no schema tool-TeamCreate-input in 2026-11",
  ],
  [2, ["validate", "tsk", "x.json"], "did you mean task?"],
  [3, ["validate", "task", "none.json"], "none.json: there is no such file"],
  [1, ["validate", "task", "."], "this is a directory; name a file in it"],
])("what cannot be judged ends with %d: %j", (status, args, words) => {
  expect(refusal(status, ["schema", ...args])).toContain(words);
});

test("what is no JSON is wrong in every revision, at its place", () => {
  const answer = troupe(["schema", "validate", "inbox", "-"], { input: "[\n  {,\n]" });
  expect(answer).toMatchObject({ status: 1, stderr: "" });
  expect(answer.stdout).toContain("not JSON at line 2, column 4");
});
