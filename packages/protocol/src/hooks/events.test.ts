import { expect, test } from "vitest";
import { definitionHookEvents, hookEvents, matcherFields } from "./events.ts";
import { hookInputEvents } from "./input.ts";

test("2026-11 knows 33 events, each once, and all of 2026-02", () => {
  expect(new Set(hookEvents["2026-11"]).size).toBe(33);
  expect(hookEvents["2026-11"]).toHaveLength(33);
  expect(hookEvents["2026-11"]).toEqual(expect.arrayContaining([...hookEvents["2026-02"]]));
});

test("front matter may name three events in 2026-02, and any in 2026-11", () => {
  expect(definitionHookEvents["2026-02"]).toEqual(["PreToolUse", "PostToolUse", "Stop"]);
  expect(definitionHookEvents["2026-11"]).toEqual(hookEvents["2026-11"]);
});

test("every event that has an input or a matcher is one of the 33", () => {
  expect(hookEvents["2026-11"]).toEqual(expect.arrayContaining([...hookInputEvents, ...matcherFields.keys()]));
});
