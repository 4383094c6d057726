import { expect, test } from "vitest";
import { handlersFor } from "./handlers.ts";

const handler = (command: string) => ({ type: "command", command });
const event = (hook_event_name: string, fields: object = {}) => ({
  session_id: "s",
  transcript_path: "/t.jsonl",
  cwd: "/p",
  hook_event_name,
  ...fields,
});

test.each(["SubagentStart", "SubagentStop"])("[HOOK-04] a matcher of %s is held against the agent's type", (name) => {
  const hooks = {
    [name]: [
      { matcher: "code-reviewer", hooks: [handler("reviewer")] },
      { matcher: "scout", hooks: [handler("scout")] },
      { hooks: [handler("any")] },
    ],
  };
  const input = event(name, { agent_type: "code-reviewer", agent_id: "scout", tool_name: "scout" });
  expect(handlersFor(hooks, input)).toEqual([handler("reviewer"), handler("any")]);
});

test("[HOOK-08] a matcher of PreToolUse is held against the tool's name; that of Stop means nothing", () => {
  const groups = [{ matcher: "Bash", hooks: [handler("one"), handler("two")] }];
  const hooks = { PreToolUse: groups, Stop: groups };
  expect(handlersFor(hooks, event("PreToolUse", { tool_name: "Bash" }))).toEqual(groups[0]?.hooks);
  expect(handlersFor(hooks, event("PreToolUse", { tool_name: "Edit" }))).toEqual([]);
  expect(handlersFor(hooks, event("Stop"))).toEqual(groups[0]?.hooks);
});

test("an event nobody configured runs nothing, whatever it is called", () => {
  for (const name of ["Stop", "constructor", "__proto__", "toString"]) expect(handlersFor({}, event(name))).toEqual([]);
});

test("an event without the field its matcher needs runs only what matches everything", () => {
  const hooks = {
    Notification: [
      { matcher: "idle_prompt", hooks: [handler("idle")] },
      { matcher: "*", hooks: [handler("any")] },
    ],
  };
  expect(handlersFor(hooks, event("Notification"))).toEqual([handler("any")]);
});
