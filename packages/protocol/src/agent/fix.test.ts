import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fixAgentDefinition } from "./fix.ts";
import { splitFrontMatter } from "./front-matter.ts";
import { lintAgentDefinition } from "./lint.ts";
import { parseAgentDefinition } from "./parse.ts";

const framed = (fields: string, end = "\n") =>
  `---\nname: helper\n${fields}\n---\n\nYou check.  \n`.replaceAll("\n", end);
const usual = "description: Checks.";
const fixed = (fields: string) => fixAgentDefinition(framed(fields));
const errors = (text: string) =>
  lintAgentDefinition({ path: "agents/a.md", text, revision: "2026-11" }).filter(
    ({ severity }) => severity === "error",
  );

test.each([
  ["description: Use when: done", 'description: "Use when: done"'],
  ['description: "Use" this', 'description: "\\"Use\\" this"'],
  ["description: [Beta] Checks", 'description: "[Beta] Checks"'],
  [
    'description: Use this\n\n<example>\nuser: "hi"\n</example>',
    'description: |-\n  Use this\n\n  <example>\n  user: "hi"\n  </example>',
  ],
  [`${usual}\ntools: Bash(git: x), Read`, `${usual}\ntools: "Bash(git: x), Read"`],
  [`${usual}\ntools:\n\t- Read`, `${usual}\ntools:\n  - Read`],
])("YAML that has one reading is written so that every reader has it: %j", (fields, expected) => {
  const { text, fixes } = fixed(fields);
  expect(text).toBe(framed(expected));
  expect(fixes.map(({ rule }) => rule)).toEqual(["V-AG-02"]);
  expect(parseAgentDefinition(text).definition).toEqual(parseAgentDefinition(framed(fields)).definition);
});

test.each([
  ["tools: Read, MultiEdit, LS", "tools: Read, Edit, LS", "tools: MultiEdit becomes Edit"],
  ["tools: Edit, MultiEdit", "tools: Edit", "tools: MultiEdit is removed, since Edit is there"],
  ["tools: MultiEdit, Edit # both", "tools: Edit # both", "tools: MultiEdit is removed, since Edit is there"],
  ["tools: [Read, 'NotebookRead']", "tools: [Read]", "tools: NotebookRead is removed, since Read is there"],
  ["tools:\n  - MultiEdit\n  - Edit", "tools:\n  - Edit", "tools: MultiEdit is removed, since Edit is there"],
  ["tools:\n  - Read\n  - web_fetch", "tools:\n  - Read\n  - WebFetch", "tools: web_fetch becomes WebFetch"],
  ["disallowedTools: bash, Write", "disallowedTools: Bash, Write", "disallowedTools: bash becomes Bash"],
  ["model: Sonnet", "model: sonnet", "model: Sonnet becomes sonnet"],
  ['color: "Blue"', 'color: "blue"', "color: Blue becomes blue"],
  ["memory: User", "memory: user", "memory: User becomes user"],
  ["maxTurns: '30'", "maxTurns: 30", "maxTurns: 30 is a number, without quotes"],
])("a name or a value with one meaning today is written as today: %j", (field, expected, message) => {
  const { text, fixes } = fixed(`${usual}\n${field}`);
  expect(text).toBe(framed(`${usual}\n${expected}`));
  expect(fixes.map((fix) => fix.message)).toEqual([message]);
});

test.each([
  ["a name that is not in kebab-case, which others may call it by", "description: x\nname: Code Reviewer"],
  ["a permission mode, which could grant more", `${usual}\npermissionMode: accept-edits`],
  ["a tool that no other replaces", `${usual}\ntools: Read, LS`],
  ["a tool of another product", `${usual}\ntools: Read, codebase`],
  ["a name within parentheses", `${usual}\ntools: Bash(grep MultiEdit:*)`],
  ["a quote that is never closed", 'description: "Use this'],
  ["a model of another maker", `${usual}\nmodel: gpt-4`],
  ["a definition without a fault", `${usual}\ntools: Read`],
])("a fix leaves a value with an uncertain meaning unchanged: %s", (_, fields) => {
  expect(fixed(fields)).toEqual({ text: framed(fields), fixes: [] });
});

test("line ends stay as they are, and a byte order mark goes, for which older clients ignore the file", () => {
  const text = `\uFEFF${framed("description: Use when: done\ntools: MultiEdit", "\r\n")}`;
  expect(fixAgentDefinition(text).text).toBe(framed('description: "Use when: done"\ntools: Edit', "\r\n"));
});

test("blank lines above the front matter, for which the client ignores the file, are removed", () => {
  const text = `\n\n${framed(usual)}`;
  expect(errors(text)).toHaveLength(1);
  expect(fixAgentDefinition(text).text).toBe(framed(usual));
});

const wild = new URL("../../corpus/agents/wild/", import.meta.url);
const shapes = readdirSync(wild).filter((file) => file.endsWith(".md"));

test("a fix of a definition found in the wild keeps the body, is idempotent, and causes no error", () => {
  const bodyOf = (text: string) => splitFrontMatter(text).matter?.body;
  const healed = shapes.filter((file) => {
    const before = readFileSync(new URL(file, wild)).toString();
    const { text, fixes } = fixAgentDefinition(before);
    expect(fixAgentDefinition(text), file).toEqual({ text, fixes: [] });
    expect(bodyOf(text), file).toBe(bodyOf(before));
    expect(errors(text).length, file).toBeLessThanOrEqual(errors(before).length);
    if (fixes.length === 0) expect(text, file).toBe(before);
    return errors(text).length < errors(before).length;
  });
  expect(healed.length).toBeGreaterThanOrEqual(10);
});
