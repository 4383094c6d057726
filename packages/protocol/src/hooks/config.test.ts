import { expect, test } from "vitest";
import { z } from "zod";
import { HookGroup, HookHandler, HooksConfig, knownHook, stopToSubagentStop } from "./config.ts";

const command = { type: "command", command: "./check.sh" } as const;

test("[HOOK-07] a prompt hook takes prompt, model, timeout in seconds and statusMessage", () => {
  const handler = {
    type: "prompt",
    prompt: "Done? $ARGUMENTS",
    model: "haiku",
    timeout: 15,
    statusMessage: "judging…",
  };
  expect(knownHook(HookHandler.parse(handler))).toEqual(handler);
});

test.each([
  [{ type: "command" }],
  [{ type: "command", command: "" }],
  [{ type: "command", command: ["a"] }],
  [{ type: "prompt" }],
  [{ type: "prompt", prompt: "p", timeout: "15" }],
  [{ type: "agent" }],
  [{ type: "http" }],
  [{ type: "mcp_tool", server: "memory" }],
  [{ command: "a" }],
  [{ type: 1 }],
])("[HOOK-07] %j is no handler", (handler) => {
  expect(HookHandler.safeParse(handler).success).toBe(false);
});

test.each([
  [command],
  [{ ...command, args: ["-x"], async: true, asyncRewake: false, if: "Bash(git *)", once: true }],
  [{ type: "http", url: "http://127.0.0.1/hook", headers: { a: "b" } }],
  [{ type: "mcp_tool", server: "memory", tool: "note", input: {} }],
  [{ type: "agent", prompt: "Judge" }],
  [{ type: "webhook", command: ["of", "another", "kind"] }],
])("[HOOK-07] %j is a handler, and unknown fields and types are kept", (handler) => {
  expect(HookHandler.parse(handler)).toEqual(handler);
});

test("a handler of an unknown type is not taken for one that is understood", () => {
  expect(knownHook({ type: "webhook" })).toBeUndefined();
});

test("[HOOK-08] the shape is groups by event, each with an optional matcher and its handlers", () => {
  const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [command] }], Stop: [{ hooks: [command] }], Later: [] };
  expect(HooksConfig.parse(hooks)).toEqual(hooks);
  for (const wrong of [{ Stop: { hooks: [] } }, { Stop: [command] }, { Stop: [{ matcher: 1, hooks: [] }] }, []]) {
    expect(HooksConfig.safeParse(wrong).success).toBe(false);
  }
});

test("[HOOK-01] [ATP-DEF-012] what is configured under Stop is run as SubagentStop, and nothing as Stop", () => {
  const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [command] }], Stop: [{ hooks: [command], note: "kept" }] };
  expect(stopToSubagentStop(hooks)).toEqual({
    PreToolUse: [{ matcher: "Bash", hooks: [command] }],
    SubagentStop: [{ hooks: [command], note: "kept" }],
  });
  expect(Object.keys(hooks)).toEqual(["PreToolUse", "Stop"]);
});

test("[HOOK-01] handlers that stand under SubagentStop already stay, before those of Stop", () => {
  const other = { type: "command", command: "other" };
  const hooks = { Stop: [{ hooks: [command] }], SubagentStop: [{ matcher: "scout", hooks: [other] }] };
  expect(stopToSubagentStop(hooks)).toEqual({
    SubagentStop: [{ matcher: "scout", hooks: [other] }, { hooks: [command] }],
  });
});

test("[HOOK-01] a matcher under Stop, where it means nothing, does not become a filter of agent types", () => {
  expect(stopToSubagentStop({ Stop: [{ matcher: "Bash", hooks: [command] }] })).toEqual({
    SubagentStop: [{ hooks: [command] }],
  });
});

test("hooks without Stop stay as they are, also with odd names of events", () => {
  const hooks = JSON.parse('{"__proto__":[],"constructor":[{"hooks":[]}]}');
  expect(stopToSubagentStop(hooks)).toBe(hooks);
  expect(Object.keys(stopToSubagentStop(Object.assign(hooks, { Stop: [] })))).toEqual([
    "__proto__",
    "constructor",
    "SubagentStop",
  ]);
});

test.each([
  ["HookHandler", HookHandler],
  ["HookGroup", HookGroup],
  ["HooksConfig", HooksConfig],
])("the example of %s is valid, and a malformed command hook is excluded by its JSON Schema too", (_, schema) => {
  const published = z.toJSONSchema(schema, { io: "input" });
  expect(z.tuple([schema]).safeParse(published["examples"]).success).toBe(true);
  expect(JSON.stringify(published)).toContain('"not":{"enum":["command","prompt","agent","http","mcp_tool"]}');
});
