import { expect, test } from "vitest";
import { commands, hooked, never } from "../../test/hooked.ts";
import { mergeReplies } from "./outcome.ts";

const call = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" };
const says = (output: object) => `cat <<'END'\n${JSON.stringify(output)}\nEND`;
const before = (fields: object) => says({ hookSpecificOutput: { hookEventName: "PreToolUse", ...fields } });
const decides = (permissionDecision: string, permissionDecisionReason = `because ${permissionDecision}`) =>
  before({ permissionDecision, permissionDecisionReason });

test.each([
  [["allow", "ask", "defer", "deny"], "deny"],
  [["deny", "allow"], "deny"],
  [["allow", "defer", "ask"], "defer"],
  [["allow", "ask", "allow"], "ask"],
  [["allow"], "allow"],
])("of hooks that say %j the strictest decides: %s", async (decisions, expected) => {
  const hooks = hooked({ PreToolUse: commands(...decisions.map((one) => decides(one))) });
  const { permission } = await hooks.fire("PreToolUse", call, never);
  expect(permission).toEqual({ decision: expected, reason: `because ${expected}` });
});

test("exit 2 of one hook denies what the others allow, and every reason is told", async () => {
  const hooks = hooked({
    PreToolUse: commands(
      decides("allow"),
      "echo one >&2; exit 2",
      decides("deny", "two"),
      says({ decision: "approve" }),
    ),
  });
  const { permission } = await hooks.fire("PreToolUse", call, never);
  expect(permission).toEqual({ decision: "deny", reason: "one\ntwo" });
});

test("the last hook of the configuration has the last word on the input, whichever ends first", async () => {
  const change = (command: string) => before({ updatedInput: { command } });
  const hooks = hooked({
    PreToolUse: commands(change("first"), `sleep 0.1; ${change("second")}`, change("third"), "true"),
  });
  expect((await hooks.fire("PreToolUse", call, never)).updatedInput).toEqual({ command: "third" });
});

test("any block blocks, the reason of the JSON goes before the standard error, and contexts add up", async () => {
  const context = (additionalContext: string) =>
    says({
      hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext },
      systemMessage: `saw ${additionalContext}`,
    });
  const hooks = hooked({
    PostToolUse: commands(
      context("a"),
      says({ decision: "block", reason: "unformatted" }),
      context("b"),
      `${says({ reason: "from JSON" })}; echo noise >&2; exit 2`.replace("; echo", "\necho"),
    ),
  });
  expect(await hooks.fire("PostToolUse", call, never)).toEqual({
    block: "unformatted\nfrom JSON",
    context: ["a", "b"],
    messages: ["saw a", "saw b"],
    errors: [],
  });
});

test("continue false stops the agent whatever the others say; JSON counts even when the exit is an error", async () => {
  const hooks = hooked({
    PreToolUse: commands(decides("allow"), `${says({ continue: false, stopReason: "budget spent" })}\nexit 1`),
  });
  const { stop, permission, errors } = await hooks.fire("PreToolUse", call, never);
  expect([stop, permission?.decision, errors.length]).toEqual([{ reason: "budget spent" }, "allow", 1]);
  expect((await hooked({ Stop: commands(says({ continue: false })) }).fire("Stop", {}, never)).stop).toBeDefined();
});

test("an answer to another event decides nothing and is an error", async () => {
  const hooks = hooked({ PostToolUse: commands(before({ additionalContext: "lost", updatedInput: {} })) });
  expect(await hooks.fire("PostToolUse", call, never)).toEqual({
    context: [],
    messages: [],
    errors: [expect.stringContaining("PreToolUse")],
  });
});

test("in the place of a person a denial goes before consent, and exit 2 is no answer", async () => {
  const answers = (decision: object) => says({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
  const fire = (...all: string[]) =>
    hooked({ PermissionRequest: commands(...all) }).fire("PermissionRequest", call, never);
  const allow = { behavior: "allow", updatedInput: { command: "ls -l" } };
  const deny = { behavior: "deny", message: "not today" };
  expect((await fire(answers(allow), answers(deny), answers({ behavior: "allow" }))).answer).toEqual(deny);
  expect((await fire(answers(allow))).answer).toEqual(allow);
  const refused = await fire("echo never >&2; exit 2");
  expect([refused.answer, refused.block, refused.errors]).toEqual([undefined, undefined, ["never"]]);
});

test.each(["SubagentStart", "SessionStart", "SessionEnd", "Notification", "WorktreeRemove"])(
  "%s happens whatever a hook says, which is shown; what it adds is told",
  async (event) => {
    const added = says({ hookSpecificOutput: { hookEventName: event, additionalContext: "read the style guide" } });
    const hooks = hooked({ [event]: commands("echo no >&2; exit 2", added) });
    expect(await hooks.fire(event, { agent_id: "a", agent_type: "scout" }, never)).toEqual({
      context: ["read the style guide"],
      messages: [],
      errors: ["no"],
    });
  },
);

test("a block keeps a teammate working, a task open and a task off the list", async () => {
  for (const event of ["TeammateIdle", "TaskCompleted", "TaskCreated", "PreCompact", "UserPromptSubmit"]) {
    const { block } = await hooked({ [event]: commands("echo not yet >&2; exit 2") }).fire(event, {}, never);
    expect([event, block]).toEqual([event, "not yet"]);
  }
});

test("nobody said anything: nothing is in the way", () => {
  expect(mergeReplies("Stop", [])).toEqual({ context: [], messages: [], errors: [] });
});
