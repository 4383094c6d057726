import { expect, test } from "vitest";
import { workbench } from "../../test/workbench.ts";
import { boundOf } from "../agent/bound.ts";
import { toolPool } from "../agents/inherit.ts";
import { forkedAgent } from "./forked-agent.ts";
import type { Skill } from "./skill.ts";

const agent = (tools?: string[]) => ({
  agentType: "worker",
  whenToUse: "Works.",
  getSystemPrompt: () => "You work.",
  source: "user" as const,
  ...(tools && { tools }),
});
const skill = (more: Partial<Skill>): Skill => ({ name: "s", description: "", text: async () => "", ...more });
const poolOf = (tools: string[] | undefined, allowedTools?: string[]) => {
  const definition = forkedAgent(agent(tools), skill({ ...(allowedTools && { allowedTools }) }));
  const pool = { tools: workbench().tools, revision: "2026-02", maySpawn: false } as const;
  return toolPool([boundOf(definition, false)], pool).map((tool) => tool.definition.name);
};

test("[SLASH-02] the agent that does a skill has what allowed-tools names, and never more than the agent has anyway", () => {
  expect(poolOf(undefined, ["Read", "Grep", "Glob"])).toEqual(["Read", "Glob", "Grep"]);
  expect(poolOf(undefined, [])).toEqual([]);
  expect(poolOf(["Read", "Grep"], ["Read", "Bash"])).toEqual(["Read"]);
  expect(poolOf(["*"], ["Read"])).toEqual(["Read"]);
  expect(poolOf(["Read"], ["*"])).toEqual(["Read"]);
  expect(poolOf(["Read"])).toEqual(["Read"]);
  expect(poolOf(undefined)).toContain("Bash");
});

test("of two entries the narrower counts, and two that exclude each other allow nothing", () => {
  const tools = (own: string[], allowedTools: string[]) => forkedAgent(agent(own), skill({ allowedTools })).tools;
  expect(tools(["Bash"], ["Bash(git:*)"])).toEqual(["Bash(git:*)"]);
  expect(tools(["Bash(git:*)"], ["Bash"])).toEqual(["Bash(git:*)"]);
  expect(tools(["Bash(git:*)"], ["Bash(npm:*)"])).toEqual([]);
  expect(tools(["mcp__a__x", "mcp__b"], ["mcp__a", "mcp__b__y"])).toEqual(["mcp__a__x", "mcp__b__y"]);
  expect(tools(["*"], ["*"])).toEqual(["*"]);
});

test("model, background and hooks of the skill go before the agent's, and hooks of one event stand beside each other", () => {
  const own = { hooks: [{ type: "command" as const, command: "own" }] };
  const further = { hooks: [{ type: "command" as const, command: "further" }] };
  const based = { ...agent(), model: "opus", background: true, hooks: { Stop: [own] } };
  const changes = { model: "haiku", background: false, hooks: { Stop: [further] } };
  expect(forkedAgent(based, skill(changes))).toMatchObject({ ...changes, hooks: { Stop: [own, further] } });
  expect(forkedAgent(based, skill({}))).toEqual(based);
});
