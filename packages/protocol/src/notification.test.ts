import { expect, test } from "vitest";
import { z } from "zod";
import {
  NotificationStatus,
  notificationProblems,
  notificationSummary,
  sdkStatusOf,
  TaskNotification,
} from "./notification.ts";

const whole: TaskNotification = {
  taskId: "a4b20af6e91c3d7f0",
  toolUseId: "toolu_01ABC",
  outputFile: "/tmp/a4b20af6e91c3d7f0.output",
  status: "completed",
  summary: 'Agent "review parser" completed',
  result: "Two risks.",
  usage: { subagentTokens: 10782, toolUses: 4, durationMs: 35130 },
};

test.each([
  ["review parser", "completed", 'Agent "review parser" completed'],
  ["review parser", "failed", 'Agent "review parser" failed'],
  ["review parser", "killed", 'Agent "review parser" killed'],
  [' say "hi"\n now ', "completed", 'Agent "say "hi" now" completed'],
])("[NOTIF-02] the summary of %j, %s names the agent and the outcome in one line", (description, status, expected) => {
  expect(notificationSummary(description, status)).toBe(expected);
});

test("killed is spelled stopped at the SDK's layer, and only killed changes", () => {
  expect(NotificationStatus.options.map(sdkStatusOf)).toEqual(["completed", "failed", "stopped"]);
});

test("[ATP-SUB-015] a completed notification of 2026-02 lacks nothing only if all seven children are there", () => {
  expect(notificationProblems(whole, "2026-02")).toEqual([]);
  for (const field of ["toolUseId", "outputFile", "status", "result", "usage"]) {
    const { [field]: _, ...rest } = whole;
    const paths = notificationProblems(rest as TaskNotification, "2026-02").map(({ path }) => path);
    // Without a status it announces no end, so the other children are not required of it.
    expect(paths).toEqual([`/${field}`]);
  }
});

test('[ATP-SUB-015] the summary of a completed agent reads `Agent "…" completed` in 2026-02', () => {
  const found = notificationProblems({ ...whole, summary: "review parser is done" }, "2026-02");
  expect(found).toMatchObject([{ path: "/summary", code: "field_invalid" }]);
});

test("[ATP-SUB-104] in 2026-11 note, result, usage, worktree and the call's id may be absent", () => {
  const { taskId, outputFile, summary } = whole;
  const bare = { taskId, outputFile: outputFile ?? "", status: "killed", summary };
  expect(notificationProblems(bare, "2026-11")).toEqual([]);
  expect(notificationProblems({ ...bare, status: "stopped" }, "2026-11")).toMatchObject([{ path: "/status" }]);
});

test("the example is valid and complete in both revisions, and the schema is plain JSON Schema", () => {
  const [example] = z.tuple([TaskNotification]).parse(TaskNotification.meta()?.["examples"]);
  expect([...notificationProblems(example, "2026-02"), ...notificationProblems(example, "2026-11")]).toEqual([]);
  expect(z.toJSONSchema(TaskNotification, { io: "input" })).toMatchObject({ required: ["taskId", "summary"] });
});
