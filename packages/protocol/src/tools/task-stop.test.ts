import { expect, test } from "vitest";
import { stopTargetOf, TaskStopInput } from "./task-stop.ts";

test.each([
  [{ task_id: "b1" }, "b1"],
  [{ shell_id: "b2" }, "b2"],
  [{ task_id: "b1", shell_id: "b2" }, "b1"],
])("[TASKCTL-05] %j stops %s", (call, taskId) => {
  expect(stopTargetOf(TaskStopInput.parse(call))).toEqual({ taskId, problems: [] });
});

test.each([{}, { task_id: "" }])("[TASKCTL-05] %j names no task, which is a problem", (call) => {
  const { taskId, problems } = stopTargetOf(TaskStopInput.parse(call));
  expect(taskId).toBeUndefined();
  expect(problems).toMatchObject([{ path: "/task_id", code: "field_missing" }]);
});
