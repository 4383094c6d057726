import { expect, test } from "vitest";
import { z } from "zod";
import { matcherFields } from "./events.ts";
import { HookInput, hookInputEvents, renderHookInput } from "./input.ts";
import { HookInputCommon } from "./input-common.ts";

const common = { session_id: "s", transcript_path: "/t.jsonl", cwd: "/p" };
const subagentStop = {
  ...common,
  hook_event_name: "SubagentStop",
  agent_id: "a4b20af6e91c3d7f0",
  agent_type: "code-reviewer",
  agent_transcript_path: "/t/subagents/agent-a4b20af6e91c3d7f0.jsonl",
  stop_hook_active: false,
};

test("[HOOK-02] SubagentStop says whether a hook is active, which agent stops, its type and its transcript", () => {
  expect(HookInput.parse(subagentStop)).toEqual(subagentStop);
  for (const field of ["stop_hook_active", "agent_id", "agent_type", "agent_transcript_path"]) {
    const { [field]: _, ...rest } = subagentStop as Record<string, unknown>;
    expect(HookInput.safeParse(rest).error?.issues.map(({ path }) => path)).toEqual([[field]]);
  }
});

test("[HOOK-02] it may also carry what 2026-11 adds, and what nobody knows yet", () => {
  const more = {
    ...subagentStop,
    last_assistant_message: "done",
    background_tasks: [{ id: "b1", type: "shell", status: "running", since: 1 }],
    session_crons: [],
    tomorrow: true,
  };
  expect(HookInput.parse(more)).toEqual(more);
});

test("[HOOK-13] a command hook gets one JSON document, on one line", () => {
  const text = renderHookInput({ ...subagentStop, last_assistant_message: "two\nlines" });
  expect(text.indexOf("\n")).toBe(text.length - 1);
  expect(JSON.parse(text)).toEqual({ ...subagentStop, last_assistant_message: "two\nlines" });
});

test.each(HookInput.options.map((option) => [option.shape.hook_event_name.value, option] as const))(
  "the example of %s is valid, and has the field its matcher is held against",
  (event, schema) => {
    const { examples } = z.toJSONSchema(schema, { io: "input" });
    const [example] = z.tuple([schema]).parse(examples);
    expect(example).toMatchObject({ hook_event_name: event });
    const field = matcherFields.get(event);
    if (field !== undefined) expect(example).toHaveProperty(field);
    expect(HookInputCommon.safeParse({ ...example, hook_event_name: "Tomorrow" }).success).toBe(true);
  },
);

test("each event has one input, and every field is described", () => {
  expect(new Set(hookInputEvents).size).toBe(18);
  const undescribed: string[] = [];
  const walk = (schema: unknown, path: string): void => {
    if (typeof schema !== "object" || schema === null) return;
    for (const [key, value] of Object.entries(schema)) {
      if (key === "properties" && !path.includes("examples")) {
        for (const [name, field] of Object.entries(value as object)) {
          if (!("description" in field)) undescribed.push(`${path}/${name}`);
        }
      }
      walk(value, `${path}/${key}`);
    }
  };
  walk(z.toJSONSchema(HookInput, { io: "input" }), "");
  expect(undescribed).toEqual([]);
});
