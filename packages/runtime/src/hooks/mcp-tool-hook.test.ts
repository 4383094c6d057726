import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { hooked, never } from "../../test/hooked.ts";
import { served, server, starts } from "../../test/served.ts";
import { callAmong } from "./mcp-tool-hook.ts";

const call = {
  tool_name: "Write",
  tool_input: { file_path: "/p/a.ts", edits: [1, 2] },
  tool_use_id: "t1",
  agent_id: undefined,
};
const handler = (tool: string, more: object = {}) => ({ type: "mcp_tool", server: "the db", tool, ...more });
const echo = (words: string) => handler("echo", { input: { words } });

/** Hooks beside a real server that is connected. */
async function beside(event: string, ...handlers: object[]) {
  const mcp = served({ "the db": server() });
  expect(await mcp.missing(["the db"])).toEqual([]);
  const tools = mcp.tools();
  const hooks = hooked({ [event]: [{ hooks: handlers }] }, { callTool: callAmong(() => tools) });
  return { mcp, fire: (signal = never) => hooks.fire(event, call, signal) };
}

test("a decision that the tool answers with decides, as one that a command prints", async () => {
  const denied = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "frozen" };
  const { fire } = await beside("PreToolUse", echo(JSON.stringify({ hookSpecificOutput: denied })));
  expect(await fire()).toMatchObject({ permission: { decision: "deny", reason: "frozen" }, errors: [] });
});

test("plain words decide nothing, and are told to the model where a command's are", async () => {
  expect(await (await beside("PreToolUse", echo("fine"))).fire()).toEqual({ context: [], messages: [], errors: [] });
  expect(await (await beside("UserPromptSubmit", echo("it is Monday"))).fire()).toMatchObject({
    context: ["it is Monday"],
  });
});

test.each([
  ["a field", `\${tool_input.file_path}`, "/p/a.ts"],
  ["what is no text", `\${tool_name} \${tool_input.edits}`, "Write [1,2]"],
  ["what the event does not have", `[\${tool_input.nothing.at_all}\${constructor.name}\${__proto__}]`, "[]"],
  ["a field that is not said", `[\${agent_id}]`, "[]"],
  ["other dollars", `$HOME \${} $1 {x}`, `$HOME \${} $1 {x}`],
])("the texts of its input hold the event: %s", async (_, words, told) => {
  const { fire } = await beside("UserPromptSubmit", echo(words));
  expect((await fire()).context).toEqual([told]);
});

test("texts inside lists and objects hold the event too, and other values stay what they are", async () => {
  const inputs: unknown[] = [];
  const input = { list: [`\${tool_name}`, 1, null], deep: { of: `\${tool_input.file_path}` }, flag: true };
  const hooks = hooked(
    { Stop: [{ hooks: [handler("any", { input })] }] },
    {
      callTool: async (...all) => {
        inputs.push(all.slice(0, 3));
        return { content: [] };
      },
    },
  );
  await hooks.fire("Stop", call, never);
  const filled = { list: ["Write", 1, null], deep: { of: "/p/a.ts" }, flag: true };
  expect(inputs).toEqual([["the db", "any", filled]]);
});

test("a tool that refuses, throws, or is not there is shown, and the event passes", async () => {
  const { fire } = await beside("Stop", handler("refuse"), handler("throw"), handler("none"), handler("die"));
  const { block, errors } = await fire();
  expect(block).toBeUndefined();
  expect(errors).toEqual([
    expect.stringContaining("the table is locked"),
    expect.stringContaining("bad luck"),
    expect.stringContaining('has no tool "none"'),
    expect.stringContaining("was lost during the call"),
  ]);
  expect(errors[0]).toMatch(/^The mcp_tool hook of Stop \(test\): /);
});

test("a tool that takes too long is given up, and one that is cancelled is told so", async () => {
  const late = await beside("Stop", handler("hang", { timeout: 0.05 }));
  expect((await late.fire()).errors).toEqual([expect.stringContaining("took longer than 0.05 s")]);
  const { mcp, fire } = await beside("Stop", handler("wait"));
  const ending = new AbortController();
  const fired = fire(ending.signal);
  await untilSeen("the file waiting", () => existsSync(join(mcp.cwd, "waiting")));
  ending.abort();
  expect((await fired).errors).toEqual([expect.stringContaining("was cancelled")]);
  await untilSeen("the file cancelled", () => existsSync(join(mcp.cwd, "cancelled")));
});

test("hooks use the connection that is there and start no server of their own", async () => {
  const { mcp, fire } = await beside("UserPromptSubmit", handler("who"), handler("who", { input: { again: 1 } }));
  const pids = (await fire()).context;
  expect(starts(mcp.cwd).map(String)).toEqual([pids[0]]);
  expect(pids[1]).toBe(pids[0]);
});
