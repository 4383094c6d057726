import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  exitMeaning,
  HookOutput,
  HookPermissionAnswer,
  PromptHookAnswer,
  promptWithInput,
  readHookOutput,
} from "./output.ts";

test.each([
  [{ continue: false, stopReason: "budget", suppressOutput: true, systemMessage: "m", tomorrow: 1 }],
  [{ decision: "block", reason: "the tests were not run" }],
  [
    {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "defer",
        updatedInput: { command: "ls" },
        additionalContext: "c",
      },
    },
  ],
  [
    {
      hookSpecificOutput: {
        hookEventName: "PermissionRequest",
        decision: {
          behavior: "allow",
          updatedInput: {},
          updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
        },
      },
    },
  ],
  [{ hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "deny", interrupt: true } } }],
])("%j is read as it stands", (output) => {
  expect(readHookOutput(` ${JSON.stringify(output)}\n`)).toEqual({ output, problems: [] });
});

test.each([
  ['{"continue": "no"}', "/continue"],
  ['{"decision": "blok"}', "/decision"],
  [
    '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "never"}}',
    "/hookSpecificOutput/permissionDecision",
  ],
  [
    '{"hookSpecificOutput": {"hookEventName": "X", "decision": {"behavior": "ask"}}}',
    "/hookSpecificOutput/decision/behavior",
  ],
  ["{continue: false}", ""],
])("%s decides nothing, and the problem says where", (stdout, path) => {
  expect(readHookOutput(stdout)).toMatchObject({ output: undefined, problems: [{ path }] });
});

test.each(["", "all good\n", "[1]", "true"])("the text %j is no decision and no mistake", (stdout) => {
  expect(readHookOutput(stdout)).toEqual({ output: undefined, problems: [] });
});

test("no text makes reading throw", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      readHookOutput(text);
      readHookOutput(`{${text}`);
    }),
  );
});

test.each([
  ["Stop", 0, "pass"],
  ["Stop", 2, "block"],
  ["Stop", 1, "error"],
  ["Stop", 127, "error"],
  ["Stop", null, "error"],
  ["WorktreeCreate", 0, "pass"],
  ["WorktreeCreate", 1, "block"],
  ["WorktreeCreate", null, "block"],
] as const)("[HOOK-13] a hook of %s that exits with %s says %s", (event, code, expected) => {
  expect(exitMeaning(event, code)).toBe(expected);
});

test("[HOOK-07] a prompt hook answers ok, or not ok with a reason", () => {
  for (const answer of [{ ok: true }, { ok: false, reason: "step 3" }, { ok: false, reason: "no", impossible: true }]) {
    expect(PromptHookAnswer.parse(answer)).toEqual(answer);
  }
  for (const answer of [{}, { ok: "true" }, { ok: false, reason: 3 }]) {
    expect(PromptHookAnswer.safeParse(answer).success).toBe(false);
  }
});

test.each([
  ["Judge $ARGUMENTS now", 'Judge {"a":"$& $1"} now'],
  ["$ARGUMENTS, $ARGUMENTS", '{"a":"$& $1"}, {"a":"$& $1"}'],
  ["Judge", 'Judge\n\n{"a":"$& $1"}'],
])("[HOOK-07] the event takes the place of $ARGUMENTS in %j, byte for byte", (prompt, expected) => {
  expect(promptWithInput(prompt, { a: "$& $1" })).toBe(expected);
});

test.each([
  ["HookOutput", HookOutput],
  ["HookPermissionAnswer", HookPermissionAnswer],
  ["PromptHookAnswer", PromptHookAnswer],
])("the example of %s is valid", (_, schema) => {
  expect(z.tuple([schema]).safeParse(z.toJSONSchema(schema, { io: "input" })["examples"]).success).toBe(true);
});
