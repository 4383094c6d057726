import { expect, test } from "vitest";
import { exitPlanModeText } from "./exit-plan-mode.ts";

test("outside plan mode the text is that of a success", () => {
  expect(exitPlanModeText({})).toBe("User has approved exiting plan mode");
});

test("a plan that waits for the lead keeps the agent in plan mode and names its request", () => {
  const requestId = "plan_approval-1770979387887@planner-01@advanced-verify";
  const text = exitPlanModeText({ awaitingLeaderApproval: true, requestId });
  expect(text).toContain(requestId);
  expect(text).toMatch(/Stay in plan mode/);
});
