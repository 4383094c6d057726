import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CallQuestion } from "@troupe/team";
import { expect, test } from "vitest";
import { words } from "../../test/entries.ts";
import { commands, hooked, never } from "../../test/hooked.ts";
import { permitted, ruleBelow } from "../../test/permitted.ts";
import { human, ok, play, rehearse, talkIn, tool } from "../../test/rehearsal.ts";
import { scratch } from "../../test/scratch.ts";
import type { Judge, PendingCall } from "../loop/tool.ts";
import type { Block } from "../model/model.ts";
import { scriptedModel } from "../model/scripted.ts";
import type { PermissionsDeps } from "../permissions/permissions.ts";
import { advisorOf } from "./advice.ts";
import type { Hooks } from "./hooks.ts";
import { resultWithHooks } from "./result.ts";
import { mayStopWithHooks } from "./stop.ts";

const says = (output: object) => `cat <<'END'\n${JSON.stringify(output)}\nEND`;
const on = (hookEventName: string, fields: object) => says({ hookSpecificOutput: { hookEventName, ...fields } });
const before = (fields: object) => on("PreToolUse", fields);
const bash = tool("Bash", (input) => ok(`ran ${JSON.stringify(input)}`));
const call = { id: "t1", tool: bash, input: { command: "ls" } };

/** Judges calls after these hooks; allows what is a question then, and keeps what was asked. */
function judged(hooks: Hooks, more: Partial<PermissionsDeps> = {}) {
  const told: string[] = [];
  const asked: Pick<CallQuestion, "input" | "reason">[] = [];
  const reports = { stop: (reason: string) => told.push(`stop: ${reason}`), show: (text: string) => told.push(text) };
  const { permit } = permitted("/nowhere", "/nowhere", {
    ask: async ({ input, reason }) => {
      asked.push({ input, reason });
      return { behavior: "allow" };
    },
    ...more,
  });
  const advisor = advisorOf(hooks, reports);
  const judge: Judge = {
    before: (one, signal) => permit(one, advisor, signal),
    after: resultWithHooks(hooks, reports),
  };
  return { judge, told, asked, reports, advisor };
}

test("a call that a hook denies is not judged, and the model reads why", async () => {
  const { judge, asked } = judged(hooked({ PreToolUse: commands("echo no network >&2; exit 2") }));
  expect(await judge.before(call, never)).toEqual({ runs: false, message: "A hook denied the call. no network" });
  expect(asked).toEqual([]);
});

test.each([
  ["allow", []],
  ["ask", [{ input: call.input, reason: "r" }]],
  ["defer", [{ input: call.input, reason: "r" }]],
])("a hook's %s is advice to the permissions, which decide", async (permissionDecision, questions) => {
  const decision = before({ permissionDecision, permissionDecisionReason: "r" });
  const hooks = hooked({ PreToolUse: commands(decision) });
  const { judge, asked } = judged(hooks);
  expect(await judge.before(call, never)).toMatchObject({ runs: true, input: call.input });
  expect(asked).toEqual(questions);
  const forbidden = judged(hooks, { rules: [ruleBelow("/nowhere")("deny", "Bash")] });
  expect((await forbidden.judge.before(call, never)).runs).toBe(false);
  expect(forbidden.asked).toEqual([]);
});

test("without hooks there is nobody to advise; a changed input is what the permissions judge and what runs", async () => {
  const plain = judged(hooked({ Stop: commands("exit 2") }));
  expect(plain.advisor).toEqual({});
  expect(await plain.judge.before(call, never)).toEqual({ runs: true, input: call.input });
  expect(plain.asked).toMatchObject([{ input: call.input }]);
  const updatedInput = { command: "ls -l" };
  const changed = judged(hooked({ PreToolUse: commands(before({ updatedInput })) }));
  expect(await changed.judge.before(call, never)).toMatchObject({ runs: true, input: updatedInput });
  expect(changed.asked).toMatchObject([{ input: updatedInput }]);
});

test("a hook that says not to continue stops the agent before its call, and messages and errors are shown", async () => {
  const stop = says({ continue: false, stopReason: "enough", systemMessage: "spent" });
  const { judge, told, asked } = judged(hooked({ PreToolUse: commands(stop, "exit 7") }));
  expect((await judge.before(call, never)).runs).toBe(false);
  expect(asked).toEqual([]);
  expect(told).toEqual(["spent", expect.stringContaining("exited with 7"), "stop: enough"]);
});

test("a call whose hook was cancelled does not run, since the hook might have denied it", async () => {
  const ending = new AbortController();
  ending.abort();
  const { judge, asked } = judged(hooked({ PreToolUse: commands("exit 2") }));
  expect((await judge.before(call, ending.signal)).runs).toBe(false);
  expect(asked).toEqual([]);
});

test("what hooks say of a call and of its result stands behind the result, each only once", async () => {
  const hooks = hooked({
    PreToolUse: commands(before({ additionalContext: "protected" })),
    PostToolUse: commands(
      "cat > event.json",
      "echo format it >&2; exit 2",
      on("PostToolUse", { additionalContext: "slow" }),
    ),
  });
  const { judge } = judged(hooks);
  const { notes } = (await judge.before(call, never)) as { notes?: readonly string[] };
  const texts = async (one: PendingCall) =>
    (await judge.after?.(one, ok("done"), never))?.content.map(({ text }) => text);
  const hook = (text: string) => `<hook>\n${text}\n</hook>`;
  expect(await texts({ ...call, notes })).toEqual(["done", hook("protected"), hook("format it"), hook("slow")]);
  expect(await texts(call)).toEqual(["done", hook("format it"), hook("slow")]);
  expect(JSON.parse(readFileSync(join(hooks.cwd, "event.json"), "utf8"))).toMatchObject({
    tool_name: "Bash",
    tool_input: call.input,
    tool_use_id: "t1",
    tool_response: { content: [{ type: "text", text: "done" }] },
  });
});

test("a failed call is told as a failure, and stays one", async () => {
  const hooks = hooked({ PostToolUse: commands("exit 2"), PostToolUseFailure: commands("cat > event.json") });
  const failed = { content: [words("exit code 1")], isError: true };
  expect(await judged(hooks).judge.after?.(call, failed, never)).toEqual(failed);
  expect(JSON.parse(readFileSync(join(hooks.cwd, "event.json"), "utf8"))).toMatchObject({
    error: "exit code 1",
    is_interrupt: false,
  });
});

test("a hook can answer in a person's place; without its answer the person is asked", async () => {
  const update = { type: "setMode", mode: "acceptEdits", destination: "session" };
  const question = { id: "q", call: "t1", tool: "Bash", input: call.input, reason: "", suggestions: [update] };
  const ask = async (...all: string[]) => {
    const hooks = hooked({ PermissionRequest: commands(...all) });
    return { cwd: hooks.cwd, reply: await judged(hooks).advisor.answer?.(question, never) };
  };
  const answer = (decision: object) => on("PermissionRequest", { decision });
  const updatedInput = { command: "ls -l" };
  const allow = answer({ behavior: "allow", updatedInput, updatedPermissions: [update] });
  const { cwd, reply } = await ask(`cat > event.json\n${allow}`);
  expect(reply).toEqual({ behavior: "allow", updatedInput, updates: [update] });
  const event = JSON.parse(readFileSync(join(cwd, "event.json"), "utf8"));
  expect(event).toMatchObject({ tool_name: "Bash", tool_input: call.input, permission_suggestions: [update] });
  expect((await ask("true", "exit 2")).reply).toBeUndefined();
  const denied = await ask(answer({ behavior: "deny", message: "no", interrupt: true }), allow);
  expect(denied.reply).toEqual({ behavior: "deny", message: "no", interrupt: true });
  const stopped = await ask(allow, says({ continue: false, stopReason: "enough" }));
  expect(stopped.reply).toEqual({ behavior: "deny", message: "enough", interrupt: true });
});

const rehearsed = (hooks: Hooks, lines: readonly (readonly Block[])[]) => {
  const { judge, reports } = judged(hooks);
  const mayStop = mayStopWithHooks(hooks, reports, "/t.jsonl");
  const rehearsal = rehearse({ path: join(scratch(), "t.jsonl"), model: scriptedModel(lines), tools: [bash], mayStop });
  rehearsal.tell(human("go"));
  return { ...rehearsal, ports: { ...rehearsal.ports, judge } };
};

test("[HOOK-03] [HOOK-12] [ATP-DEF-013] a blocked agent goes on, told why; its next attempt is told that it was blocked", async () => {
  const untilActive =
    "cat > event; cat event >> log; grep -q 'stop_hook_active\":true' event || { echo run the tests >&2; exit 2; }";
  const session = hooked({ Stop: commands("echo main >> main") });
  const agent = { agentId: "a1", agentType: "scout", origin: "scout.md", hooks: { Stop: commands(untilActive) } };
  const rehearsal = rehearsed(session.within(agent), [[words("done")], [words("tests pass")]]);
  expect((await play(rehearsal)).terminal).toMatchObject({ isOk: true, text: "tests pass" });
  expect(JSON.stringify(talkIn(rehearsal))).toContain("run the tests");
  const events = readFileSync(join(session.cwd, "log"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const common = { hook_event_name: "SubagentStop", agent_id: "a1", agent_transcript_path: "/t.jsonl" };
  expect(events).toMatchObject([
    { ...common, stop_hook_active: false, last_assistant_message: "done" },
    { ...common, stop_hook_active: true, last_assistant_message: "tests pass" },
  ]);
  expect(existsSync(join(session.cwd, "main"))).toBe(false);
  await play(rehearsed(session, [[words("done")]]));
  expect(readFileSync(join(session.cwd, "main"), "utf8")).toBe("main\n");
});

test("a hook that blocks for ever is asked as often as the loop allows, and one that says to stop is the last word", async () => {
  const hooks = hooked({ Stop: commands("echo x >> log; exit 2") });
  const rehearsal = rehearsed(hooks, [[words("1")], [words("2")], [words("3")], [words("4")]]);
  expect((await play(rehearsal)).terminal).toMatchObject({ isOk: true, text: "3" });
  expect(readFileSync(join(hooks.cwd, "log"), "utf8")).toBe("x\nx\n");
  const ended = rehearsed(hooked({ Stop: commands("exit 2", says({ continue: false })) }), [[words("1")]]);
  expect((await play(ended)).terminal).toMatchObject({ isOk: true, text: "1" });
});

test("in the loop a denied call is answered with the reason, and one that a hook changed runs as changed, with what it said", async () => {
  const changing = before({ updatedInput: { command: "ls -l" }, additionalContext: "protected" });
  const guard = `grep -q rm && { echo never rm >&2; exit 2; }\n${changing}`;
  const use = (id: string, command: string) => ({ type: "tool_use", id, name: "Bash", input: { command } });
  const rehearsal = rehearsed(hooked({ PreToolUse: commands(guard) }), [
    [use("1", "rm x"), use("2", "ls")],
    [words("ok")],
  ]);
  await play(rehearsal);
  const said = JSON.stringify(talkIn(rehearsal));
  expect(said).toContain("A hook denied the call. never rm");
  expect(said).toContain("ls -l");
  expect(said).toContain("protected");
});
