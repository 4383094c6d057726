import { expect, test } from "vitest";
import { hooksInForce } from "./hooks.ts";
import { parseAgentDefinition } from "./parse.ts";
import type { ParseOptions } from "./read-definition.ts";

const usual = "name: helper\ndescription: Checks a change.";
const parsed = (fields: string, options: ParseOptions = {}) =>
  parseAgentDefinition(`---\n${usual}\n${fields}\n---\nYou check.\n`, options);

const hook = "hooks: [{type: command, command: ./x.sh}]";

test("[DEF-13] hooks are read by event, matcher and hook", () => {
  const { definition } = parsed(`hooks:\n  PreToolUse:\n    - matcher: Bash\n      ${hook}\n  Stop: {${hook}}`);
  const handlers = [{ type: "command", command: "./x.sh" }];
  expect(definition?.hooks).toEqual({
    PreToolUse: [{ matcher: "Bash", hooks: handlers }],
    Stop: [{ hooks: handlers }],
  });
});

test("[DEF-14] [ATP-DEF-011] in 2026-02 three events are taken silently; another is reported, kept and has no effect", () => {
  const events = ["PreToolUse", "PostToolUse", "Stop", "SessionStart"].map((event) => `  ${event}: [{${hook}}]`);
  const { definition, problems } = parsed(`hooks:\n${events.join("\n")}`);
  expect(problems).toMatchObject([{ path: "/hooks/SessionStart", line: 8 }]);
  expect(Object.keys(definition?.hooks ?? {})).toContain("SessionStart");
  expect(Object.keys(hooksInForce(definition ?? {}, "2026-02"))).toEqual(["PreToolUse", "PostToolUse", "Stop"]);
});

test("[ATP-DEF-102] in 2026-11 every event is in force", () => {
  const fields = `hooks: {SessionStart: [{${hook}}], TeammateIdle: [{${hook}}]}`;
  const { definition, problems } = parsed(fields, { revision: "2026-11" });
  expect(problems).toEqual([]);
  expect(Object.keys(hooksInForce(definition ?? {}, "2026-11"))).toEqual(["SessionStart", "TeammateIdle"]);
});
