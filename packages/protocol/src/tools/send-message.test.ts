import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { z } from "zod";
import { AddressedSendMessage, sendMessageTool } from "./send-message.ts";

const input = sendMessageTool.input["2026-02"];
const accepts = (call: unknown): boolean => input.safeParse(call).success;
const without = (call: object, field: string) =>
  Object.fromEntries(Object.entries(call).filter(([key]) => key !== field));

const message = { type: "message", recipient: "researcher-config", content: "Please begin.", summary: "begin" };
const broadcast = { type: "broadcast", content: "Stop all work.", summary: "stop" };
const shutdownRequest = { type: "shutdown_request", recipient: "researcher-config", content: "All is done" };
const shutdownResponse = { type: "shutdown_response", request_id: "abc-123", approve: false, content: "Task 3 first" };
const planResponse = {
  type: "plan_approval_response",
  request_id: "abc-123",
  recipient: "researcher-config",
  approve: false,
  content: "Add tests",
};

test.each([
  ["MSG-01, MSG-18", message, ["recipient", "content", "summary"]],
  ["MSG-02, MSG-18", broadcast, ["content", "summary"]],
  ["MSG-03, MSG-18", shutdownRequest, ["recipient"]],
  ["MSG-04, MSG-18", shutdownResponse, ["request_id", "approve"]],
  ["MSG-05, MSG-18", planResponse, ["request_id", "recipient", "approve"]],
])("[%s] the call has the fields of its type, and is refused without one it requires", (_rows, call, required) => {
  expect(input.parse(call)).toEqual(call);
  for (const field of required) expect(accepts(without(call, field))).toBe(false);
  for (const field of Object.keys(call).filter((key) => key !== "type" && !required.includes(key))) {
    expect(accepts(without(call, field))).toBe(true);
  }
});

test("[MSG-06] the permission pair is the system's: no call sends it", () => {
  for (const type of ["permission_request", "permission_response"]) {
    expect(accepts({ ...planResponse, type })).toBe(false);
    expect(AddressedSendMessage.safeParse({ to: "alice", message: { ...planResponse, type } }).success).toBe(false);
  }
});

test("[SEND-14] a call may name its recipient in `to`, by name or by the id of an agent", () => {
  for (const to of ["flaky-investigator", "a4b20af7c1d93e652"]) {
    const call = { to, message: "Focus on the Windows-only failures.", summary: "focus Windows failures" };
    expect(input.parse(call)).toEqual(call);
    expect(AddressedSendMessage.parse(call)).toEqual(call);
  }
});

const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(
  z.toJSONSchema(AddressedSendMessage, { io: "input" }),
);

test.each([
  [{ type: "shutdown_request" }, true],
  [{ type: "shutdown_request", reason: "done" }, true],
  [{ type: "shutdown_request", reason: 1 }, false],
  [{ type: "shutdown_response", request_id: "r", approve: true }, true],
  [{ type: "shutdown_response", request_id: "r", approve: false, reason: "busy" }, true],
  [{ type: "shutdown_response", request_id: "", approve: true }, false],
  [{ type: "shutdown_response", request_id: "r\nx", approve: true }, false],
  [{ type: "shutdown_response", approve: true }, false],
  [{ type: "shutdown_response", request_id: "r" }, false],
  [{ type: "plan_approval_response", request_id: "r", approve: false, feedback: "more" }, true],
  [{ type: "plan_approval_response", request_id: "r", approve: "yes" }, false],
  [{ type: "plan_approval_response", approve: true }, false],
  [{ type: "message", content: "hello" }, false],
  [{}, false],
  ["plain text", true],
  [7, false],
])("[ATP-SND-102] the message %j is taken: %s", (content, isTaken) => {
  expect(AddressedSendMessage.safeParse({ to: "alice", message: content }).success).toBe(isTaken);
  expect(validate({ to: "alice", message: content })).toBe(isTaken);
});

test.each([
  [{ to: "a".repeat(300) }, true],
  [{ to: "a".repeat(301) }, false],
  [{ to: "alice\nbob" }, false],
  [{ summary: "s".repeat(200) }, true],
  [{ summary: "s".repeat(201) }, false],
  [{ notify_when_idle: true }, true],
  [{ notify_when_idle: "yes" }, false],
  [{ to: undefined }, false],
  [{ message: undefined }, false],
])("[ATP-SND-102] a call with %j is taken: %s", (fields, isTaken) => {
  const call: unknown = JSON.parse(JSON.stringify({ to: "alice", message: "hello", ...fields }));
  expect(AddressedSendMessage.safeParse(call).success).toBe(isTaken);
  expect(validate(call)).toBe(isTaken);
});
