import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { z } from "zod";
import { TaskOutputInput, taskOutputTool } from "./task-output.ts";

test("[TASKCTL-03] a call that says no more waits, for 30 seconds at most", () => {
  expect(TaskOutputInput.parse({ task_id: "b1" })).toEqual({ task_id: "b1", block: true, timeout: 30_000 });
});

const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(
  z.toJSONSchema(TaskOutputInput, { io: "input" }),
);

test.each([
  [0, true],
  [600_000, true],
  [-1, false],
  [600_001, false],
  ["30000", false],
])("[TASKCTL-03] a timeout of %s is taken: %s", (timeout, isTaken) => {
  expect(TaskOutputInput.safeParse({ task_id: "b1", timeout }).success).toBe(isTaken);
  expect(validate({ task_id: "b1", timeout })).toBe(isTaken);
});

test("the published schema shows both defaults and asks for neither field", () => {
  expect(z.toJSONSchema(TaskOutputInput, { io: "input" })).toMatchObject({
    properties: { block: { default: true }, timeout: { default: 30_000 } },
    required: ["task_id"],
  });
});

test("revision 2026-11 has no TaskOutput", () => {
  expect(taskOutputTool.input).not.toHaveProperty("2026-11");
});
