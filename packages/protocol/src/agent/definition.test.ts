import { expect, test } from "vitest";
import { z } from "zod";
import { revisions } from "../revisions/revision.ts";
import { AgentDefinition, AgentDefinitionFrontMatter, agentDefinitionSchemas } from "./definition.ts";

const valid = { name: "code-reviewer", description: "Reviews a change.", prompt: "You review." };

const examplesOf = (schema: z.ZodType) => schema.meta()?.["examples"] as unknown[];

const good: [string, object][] = [
  ["ATP-DEF-001", {}],
  ["ATP-DEF-004", { tools: "Read, Task(Explore)" }],
  ["ATP-DEF-004", { tools: ["Read"], disallowedTools: "Write" }],
  ["ATP-DEF-006", { model: "claude-opus-4-6" }],
  ["ATP-DEF-009", { memory: "local" }],
  ["ATP-DEF-014", { color: "teal" }],
  ["ATP-DEF-011", { hooks: { SessionStart: [{ hooks: [{ type: "command", command: "x" }] }] } }],
  ["ATP-DEF-015", { run_mode: "background", metadata: { any: [1] } }],
  ["ATP-DEF-018", { color: "blue", mcpServers: ["a", { command: "x" }, { b: { url: "y" } }] }],
];
const bad: [string, object][] = [
  ["ATP-DEF-002", { name: undefined }],
  ["ATP-DEF-002", { name: "Code Reviewer" }],
  ["ATP-DEF-002", { name: "code--reviewer" }],
  ["ATP-DEF-003", { description: undefined }],
  ["ATP-DEF-003", { description: " \n" }],
  ["ATP-DEF-004", { tools: { Read: true } }],
  ["ATP-DEF-007", { permissionMode: "bubble" }],
  ["ATP-DEF-009", { memory: "global" }],
  ["ATP-DEF-011", { hooks: [] }],
];

for (const revision of revisions) {
  const schema = agentDefinitionSchemas[revision];
  test.each(good)(`[%s] the schema of ${revision} takes %j`, (_, fields) => {
    expect(schema.safeParse({ ...valid, ...fields }).error).toBeUndefined();
  });
  test.each(bad)(`[%s] the schema of ${revision} refuses %j`, (_, fields) => {
    expect(schema.safeParse({ ...valid, ...fields }).success).toBe(false);
  });
  test(`the schema of ${revision} is exact as JSON Schema, describes every field and keeps unknown ones`, () => {
    const { properties = {}, required, ...rest } = z.toJSONSchema(schema, { io: "input" });
    expect(required).toEqual(["name", "description"]);
    expect(rest).not.toHaveProperty("additionalProperties", false);
    expect(Object.entries(properties).filter(([, field]) => !(field as { description?: string }).description)).toEqual(
      [],
    );
    for (const example of examplesOf(schema)) expect(schema.safeParse(example).error).toBeUndefined();
  });
}

test.each([
  ["2026-02", ["acceptEdits", "bypassPermissions", "default", "delegate", "dontAsk", "plan"]],
  ["2026-11", ["acceptEdits", "auto", "bypassPermissions", "default", "delegate", "dontAsk", "manual", "plan"]],
] as const)(
  "[ATP-DEF-007] [ATP-DEF-101] the schema of %s takes its permission modes and no other",
  (revision, modes) => {
    const all = [...modes, "auto", "manual", "bubble", "Plan", ""];
    const taken = all.filter(
      (permissionMode) => agentDefinitionSchemas[revision].safeParse({ ...valid, permissionMode }).success,
    );
    expect([...new Set(taken)].sort()).toEqual(modes);
  },
);

test("the examples of the other schemas are valid", () => {
  for (const schema of [AgentDefinition, AgentDefinitionFrontMatter]) {
    for (const example of examplesOf(schema)) expect(schema.safeParse(example).error).toBeUndefined();
  }
});
