import type { Revision } from "@troupe/protocol";
import { expect, test } from "vitest";
import { boundOf } from "../agent/bound.ts";
import type { Tool } from "../loop/tool.ts";
import { type PoolDeps, toolPool } from "./inherit.ts";

const named = (name: string): Tool => ({
  definition: { name, description: name, input_schema: { type: "object" } },
  isReplayable: true,
  isConcurrent: () => true,
  run: async () => ({ content: [] }),
});

const all = ["Agent", "AskUserQuestion", "Edit", "EnterPlanMode", "ExitPlanMode", "Look", "mcp__box__TaskList", "Read"]
  .concat(["SendMessage", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "Write"])
  .map(named);

const pool = (
  definition: Parameters<typeof boundOf>[0],
  {
    revision = "2026-11",
    isBackground = false,
    maySpawn = true,
    above = [],
  }: Partial<Omit<PoolDeps<unknown>, "tools">> & {
    isBackground?: boolean;
    above?: Parameters<typeof toolPool>[0];
  } = {},
) =>
  toolPool([...above, boundOf(definition, isBackground)], { tools: all, revision, maySpawn }).map(
    ({ definition: { name } }) => name,
  );

test("in 2026-11 no agent has what belongs to the conversation with the person", () => {
  expect(pool({})).toEqual(["Agent", "Edit", "Look", "mcp__box__TaskList", "Read", "SendMessage", "TaskStop", "Write"]);
});

test("in 2026-11 an agent cannot get it by naming it", () => {
  expect(pool({ tools: ["AskUserQuestion", "TaskOutput", "Read"] })).toEqual(["Read"]);
});

test("[ASYNC-12] in 2026-11 the built-in tools are fewer in the background, and those of servers are all there", () => {
  expect(pool({}, { isBackground: true })).toEqual([
    "Agent",
    "Edit",
    "mcp__box__TaskList",
    "Read",
    "SendMessage",
    "TaskStop",
    "Write",
  ]);
});

test.each([true, false])(
  "in 2026-02 nothing is taken away but the Agent tool (in the background: %s)",
  (isBackground) => {
    const names = all.map(({ definition: { name } }) => name);
    expect(pool({}, { revision: "2026-02", isBackground, maySpawn: false })).toEqual(names.slice(1));
    expect(pool({}, { revision: "2026-02", isBackground })).toEqual(names);
  },
);

test.each<Revision>(["2026-02", "2026-11"])(
  "in %s an agent with a memory can read and write it, whatever else it has",
  (revision) => {
    const memory = "project";
    expect(pool({ tools: ["Look"], memory }, { revision })).toEqual(["Edit", "Look", "Read", "Write"]);
    expect(pool({ disallowedTools: ["Write"], tools: ["Look"], memory }, { revision })).toContain("Write");
    expect(pool({ tools: ["Look"] }, { revision })).toEqual(["Look"]);
  },
);

test("[LIM-01] an agent that may start none has no Agent tool, also where its definition names it", () => {
  expect(pool({ tools: ["Agent", "Read"] }, { maySpawn: false })).toEqual(["Read"]);
});

test("[PERM-08] an agent has no tool that the definition of one above it takes away, whatever its own says", () => {
  const above = [boundOf({ tools: ["Agent", "Read", "Look"] }, false), boundOf({ disallowedTools: ["Look"] }, false)];
  expect(pool({ tools: ["*"] }, { above })).toEqual(["Agent", "Read"]);
  expect(pool({ tools: ["Read", "Write"] }, { above })).toEqual(["Read"]);
  expect(pool({ memory: "project" }, { above })).toEqual(["Agent", "Read"]);
  expect(pool({}, { above: [boundOf({}, true)] })).not.toContain("Look");
  expect(pool({}, { above: [] })).toContain("Look");
});
