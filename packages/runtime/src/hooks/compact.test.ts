import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { commands, hooked, never } from "../../test/hooked.ts";
import { human, ok, play, rehearse, talkIn, tool } from "../../test/rehearsal.ts";
import { scriptedModel } from "../model/scripted.ts";
import { compactWithHooks } from "./compact.ts";
import type { Hooks } from "./hooks.ts";

function compacting(hooks: Hooks) {
  const told: string[] = [];
  const reports = { stop: (reason: string) => told.push(`stop: ${reason}`), show: (text: string) => told.push(text) };
  return { ...compactWithHooks(hooks, reports), told };
}

const keep = (name: string) => `cat >> ${name}`;
const kept = (cwd: string, name: string) => JSON.parse(readFileSync(join(cwd, name), "utf8"));
const says = (output: object) => `echo '${JSON.stringify(output)}'`;

test.each([
  ["auto", "auto"],
  ["overflow", "auto"],
  ["manual", "manual"],
] as const)("before a summary that is %s hooks are told that it is %s, and may pass", async (trigger, told) => {
  const hooks = hooked({ PreCompact: commands(keep("before")) });
  expect(await compacting(hooks).mayCompact(trigger, never)).toEqual({ compacts: true });
  const about = { hook_event_name: "PreCompact", trigger: told, custom_instructions: "" };
  expect(kept(hooks.cwd, "before")).toMatchObject(about);
});

test("a matcher of PreCompact is held against who wanted the summary", async () => {
  const refusal = { type: "command", command: "echo no >&2; exit 2" };
  const { mayCompact } = compacting(hooked({ PreCompact: [{ matcher: "manual", hooks: [refusal] }] }));
  expect(await mayCompact("auto", never)).toEqual({ compacts: true });
  expect(await mayCompact("manual", never)).toEqual({ compacts: false, because: "no" });
});

test.each([
  ["exit code 2", "echo the review is not over >&2; exit 2"],
  ["a decision", says({ decision: "block", reason: "the review is not over" })],
])("a hook prevents a summary by %s", async (_, command) => {
  const { mayCompact } = compacting(hooked({ PreCompact: commands(command) }));
  expect(await mayCompact("auto", never)).toEqual({ compacts: false, because: "the review is not over" });
});

test("a hook that stops the agent prevents the summary too, and a hook that fails prevents nothing", async () => {
  const stopping = compacting(hooked({ PreCompact: commands(says({ continue: false, stopReason: "enough" })) }));
  expect(await stopping.mayCompact("auto", never)).toEqual({ compacts: false, because: "enough" });
  expect(stopping.told).toEqual(["stop: enough"]);
  const failing = compacting(hooked({ PreCompact: commands("exit 1") }));
  expect(await failing.mayCompact("auto", never)).toEqual({ compacts: true });
  expect(failing.told).toEqual([expect.stringContaining("exited with 1")]);
});

test("a run is summarised as its hooks say, and goes on with what they tell it", async () => {
  const context = { hookSpecificOutput: { hookEventName: "PreCompact", additionalContext: "Keep the names." } };
  const compacted = { type: "command", command: "echo the branch is main" };
  const hooks = hooked({
    PreCompact: commands(says(context)),
    PostCompact: commands(keep("after")),
    SessionStart: [
      { matcher: "compact", hooks: [compacted] },
      { matcher: "startup", hooks: [{ type: "command", command: "echo never" }] },
    ],
  });
  const usage = { input: 100_000, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 };
  const script = [{ content: [toolUse("t1")], usage }, [words("We looked.")], [words("done")]];
  const rehearsal = rehearse({
    path: join(hooks.cwd, "s.jsonl"),
    model: scriptedModel(script),
    tools: [tool("Look", () => ok("seen"))],
    inbox: [human("i1")],
  });
  const { mayCompact, compacted: after, told } = compacting(hooks);
  const { terminal } = await play({ ...rehearsal, ports: { ...rehearsal.ports, mayCompact, compacted: after } });
  expect(terminal).toMatchObject({ isOk: true, text: "done" });
  expect(rehearsal.requests[1]?.messages.at(-1)?.blocks.at(-1)).toContain("Keep the names.");
  expect(kept(hooks.cwd, "after")).toMatchObject({
    trigger: "auto",
    compact_summary: expect.stringContaining("We looked."),
  });
  expect(talkIn(rehearsal)[0]?.content[0].text).toMatch(/We looked\.\n\n<hook>\nthe branch is main\n<\/hook>$/);
  expect(told).toEqual([]);
});
