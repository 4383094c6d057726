import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commands, hooked, isAlive, never, pidIn } from "../../test/hooked.ts";

const call = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" };
const linesOf = (path: string) => (existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []);

test("all hooks of an event run at once: each waits for the other", async () => {
  const meet = (mine: string, other: string) => `touch ${mine}; until [ -e ${other} ]; do sleep 0.01; done`;
  const hooks = hooked({ Stop: commands(meet("a", "b"), meet("b", "a")) });
  expect(await hooks.fire("Stop", {}, never)).toEqual({ context: [], messages: [], errors: [] });
});

test("equal commands run once, also when they stand in two groups and may take differently long", async () => {
  const count = { type: "command", command: "echo x >> log" };
  const hooks = hooked({
    PreToolUse: [
      { matcher: "Bash", hooks: [count, { ...count, timeout: 5, statusMessage: "counting" }] },
      { matcher: "*", hooks: [count, { type: "command", command: "echo y >> log" }] },
    ],
  });
  await hooks.fire("PreToolUse", call, never);
  expect(linesOf(join(hooks.cwd, "log")).sort()).toEqual(["x", "y"]);
});

test("[HOOK-04] only what matches runs: the tool's name, or the agent's type", async () => {
  const log = (word: string) => [{ type: "command", command: `echo ${word} >> log` }];
  const hooks = hooked({
    PreToolUse: [
      { matcher: "Bash|Edit", hooks: log("list") },
      { matcher: "mcp__.*", hooks: log("pattern") },
    ],
    SubagentStart: [
      { matcher: "scout", hooks: log("scout") },
      { matcher: "writer", hooks: log("writer") },
    ],
    SubagentStop: [{ matcher: "scout", hooks: log("scout") }, { hooks: log("any") }],
    Later: [{ hooks: [{ type: "webhook" }] }],
  });
  await hooks.fire("PreToolUse", call, never);
  await hooks.fire("PreToolUse", { ...call, tool_name: "mcp__db__query" }, never);
  await hooks.fire("SubagentStart", { agent_type: "writer" }, never);
  await hooks.fire("SubagentStop", { agent_type: "writer" }, never);
  await hooks.fire("Later", {}, never);
  await hooks.fire("constructor", {}, never);
  expect(linesOf(join(hooks.cwd, "log"))).toEqual(["list", "pattern", "writer", "any"]);
});

const definition = (hooks: object) => ({
  origin: "scout.md",
  agentId: "a1",
  agentType: "scout",
  hooks: hooks as Record<string, never[]>,
});

test("[HOOK-06] the hooks of a definition run for its agent alone, beside those of the session, until it ends", async () => {
  const hooks = hooked({ PreToolUse: commands("echo session >> log") });
  const scout = hooks.within(definition({ PreToolUse: commands("echo scout >> log") }));
  const helper = scout.within({ ...definition({}), agentId: "a2", agentType: "helper" });
  const log = join(hooks.cwd, "log");
  await hooks.fire("PreToolUse", call, never);
  await helper.fire("PreToolUse", call, never);
  expect(linesOf(log)).toEqual(["session", "session"]);
  await scout.fire("PreToolUse", call, never);
  expect(linesOf(log).slice(2).sort()).toEqual(["scout", "session"]);
  await scout.close();
  expect(await scout.fire("PreToolUse", call, never)).toEqual({ context: [], messages: [], errors: [] });
  await hooks.fire("PreToolUse", call, never);
  expect(linesOf(log).slice(4)).toEqual(["session"]);
});

test("[HOOK-01] [HOOK-02] [ATP-DEF-012] Stop of a definition runs as SubagentStop and is told which agent stops", async () => {
  const hooks = hooked({ Stop: commands("echo main >> log") });
  const scout = hooks.within(
    definition({ Stop: [{ matcher: "Bash", hooks: commands("cat >> event.json")[0]?.hooks }] }),
  );
  const fields = { agent_transcript_path: "/t/a1.jsonl", stop_hook_active: false };
  await scout.fire("SubagentStop", fields, never);
  expect(JSON.parse(readFileSync(join(hooks.cwd, "event.json"), "utf8"))).toMatchObject({
    hook_event_name: "SubagentStop",
    agent_id: "a1",
    agent_type: "scout",
    ...fields,
  });
  expect(linesOf(join(hooks.cwd, "log"))).toEqual([]);
});

test("a hook with a rule runs for the calls that match it, and not at all where rules cannot be judged", async () => {
  const ruled = { PreToolUse: [{ hooks: [{ type: "command", command: "echo x >> log", if: "Bash(git *)" }] }] };
  const judged = hooked(ruled, {
    matchesRule: (rule, input) => rule === "Bash(git *)" && input["tool_use_id"] === "t2",
  });
  await judged.fire("PreToolUse", call, never);
  expect(linesOf(join(judged.cwd, "log"))).toEqual([]);
  await judged.fire("PreToolUse", { ...call, tool_use_id: "t2" }, never);
  expect(linesOf(join(judged.cwd, "log"))).toEqual(["x"]);
  const blind = hooked(ruled);
  expect((await blind.fire("PreToolUse", call, never)).errors).toEqual([expect.stringContaining("rule")]);
  expect(linesOf(join(blind.cwd, "log"))).toEqual([]);
});

test("nothing waits for an asynchronous hook; it can wake the agent, and it ends with the session", async () => {
  let wake = (_: string) => {};
  const woken = new Promise<string>((resolve) => {
    wake = resolve;
  });
  const hooks = hooked(
    {
      Stop: [
        {
          hooks: [
            {
              type: "command",
              command: "until [ -e go ]; do sleep 0.01; done; echo tests failed >&2; exit 2",
              asyncRewake: true,
            },
            { type: "command", command: "trap '' TERM; echo $$ > self; sleep 300", async: true },
          ],
        },
      ],
      SessionEnd: commands("until [ -s self ]; do sleep 0.01; done; touch go"),
    },
    { wake: (reason) => wake(reason) },
  );
  expect(await hooks.fire("Stop", {}, never)).toEqual({ context: [], messages: [], errors: [] });
  await hooks.fire("SessionEnd", { reason: "other" }, never);
  expect(await woken).toBe("tests failed");
  await hooks.close();
  expect(isAlive(pidIn(hooks.cwd, "self"))).toBe(false);
});

test("a timeout longer than a timer can be is no timeout at once", async () => {
  const hooks = hooked({ Stop: [{ hooks: [{ type: "command", command: "sleep 0.05; exit 2", timeout: 1e9 }] }] });
  expect((await hooks.fire("Stop", {}, never)).block).toBeDefined();
});
