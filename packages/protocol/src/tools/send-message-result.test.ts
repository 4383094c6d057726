import { expect, test } from "vitest";
import { sendMessageTool } from "./send-message.ts";
import {
  answerSent,
  BroadcastSent,
  broadcastSent,
  MessageSent202602,
  MessageSent202611,
  messageSent,
  RequestSent,
  recipientUnreachable,
  shutdownRequestSent,
} from "./send-message-result.ts";

const delivery = {
  sender: "alice",
  senderColor: "green",
  recipient: "tester-01",
  recipientColor: "blue",
  summary: "wake and assign",
  content: "You were woken.",
  messageId: "3fccd7c9-8915-4dc5-80d5-606e992a2bc0",
};
const takes = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

test("[MSG-07, ATP-SND-005] the result of a message in 2026-02 has its routing and nothing of the other results", () => {
  const result = messageSent("2026-02", delivery);
  expect(result).toStrictEqual({
    success: true,
    message: "Message sent to tester-01's inbox",
    routing: {
      sender: "alice",
      target: "@tester-01",
      targetColor: "blue",
      summary: "wake and assign",
      content: "You were woken.",
    },
  });
  expect(takes(MessageSent202602, result)).toBe(true);
  expect(takes(MessageSent202602, { ...result, recipients: ["tester-01"] })).toBe(false);
  expect(takes(MessageSent202602, { ...result, request_id: "r" })).toBe(false);
});

test("[ATP-SND-005] the result of a message to the lead has no targetColor", () => {
  const result = messageSent("2026-02", { ...delivery, recipient: "team-lead", recipientColor: undefined });
  expect(Object.keys(result.routing)).toEqual(["sender", "target", "summary", "content"]);
});

test("[MSG-08, ATP-SND-006] the result of a broadcast lists who got it and has no colour and no request", () => {
  const result = broadcastSent({ sender: "team-lead", summary: "a test", content: "Attention" }, [
    "verifier-01",
    "verifier-02",
  ]);
  expect(result).toStrictEqual({
    success: true,
    message: "Message broadcast to 2 teammate(s): verifier-01, verifier-02",
    recipients: ["verifier-01", "verifier-02"],
    routing: { sender: "team-lead", target: "@team", summary: "a test", content: "Attention" },
  });
  expect(takes(BroadcastSent, result)).toBe(true);
  expect(takes(BroadcastSent, { ...result, request_id: "r" })).toBe(false);
  expect(takes(BroadcastSent, { ...result, routing: { ...result.routing, target: "@all" } })).toBe(false);
  expect(takes(BroadcastSent, { ...result, routing: { ...result.routing, targetColor: "blue" } })).toBe(false);
});

test("[MSG-09, ATP-SND-007, ATP-SND-106] the result of a shutdown request has its id and bare target", () => {
  const result = shutdownRequestSent("tester-01", "shutdown-1770536808909@tester-01");
  expect(result).toStrictEqual({
    success: true,
    message: "Shutdown request sent to tester-01. Request ID: shutdown-1770536808909@tester-01",
    request_id: "shutdown-1770536808909@tester-01",
    target: "tester-01",
  });
  expect(takes(RequestSent, result)).toBe(true);
  expect(takes(RequestSent, { ...result, routing: {} })).toBe(false);
  expect(takes(RequestSent, { ...result, recipients: [] })).toBe(false);
});

test("[MSG-10] no result of one kind passes for another kind", () => {
  const message = messageSent("2026-02", delivery);
  const broadcast = broadcastSent(delivery, ["tester-01"]);
  const shutdown = shutdownRequestSent("tester-01", "shutdown-1@tester-01");
  const verdicts = [message, broadcast, shutdown].map((result) =>
    [MessageSent202602, BroadcastSent, RequestSent].map((schema) => takes(schema, result)),
  );
  expect(verdicts).toEqual([
    [true, false, false],
    [false, true, false],
    [false, false, true],
  ]);
});

test("[ATP-SND-104] the result of a message in 2026-11 adds the entry's id and the sender's colour", () => {
  const result = messageSent("2026-11", delivery);
  expect(JSON.stringify(result)).toBe(
    JSON.stringify({
      success: true,
      message: "Message sent to tester-01's inbox",
      msg_id: "3fccd7c9-8915-4dc5-80d5-606e992a2bc0",
      routing: {
        sender: "alice",
        senderColor: "green",
        target: "@tester-01",
        targetColor: "blue",
        summary: "wake and assign",
        content: "You were woken.",
      },
    }),
  );
  expect(takes(MessageSent202611, result)).toBe(true);
  expect(takes(MessageSent202611, messageSent("2026-02", delivery))).toBe(false);
});

test("[ATP-SND-104] a colour that is not there is left out", () => {
  const { routing } = messageSent("2026-11", { ...delivery, senderColor: undefined, recipientColor: undefined });
  expect(Object.keys(routing)).toEqual(["sender", "target", "summary", "content"]);
});

test("[ATP-SND-105] the result for an unknown name is no success and names it", () => {
  const result = recipientUnreachable("nobody");
  expect(result.success).toBe(false);
  expect(result.message).toMatch(/^No agent named 'nobody' is reachable/);
});

test("every result that is made is one that the revision publishes", () => {
  const results = [
    shutdownRequestSent("a", "shutdown-1@a"),
    answerSent("team-lead", "shutdown-1@a"),
    recipientUnreachable("nobody"),
    {
      success: true,
      message: "Resuming agent a4b20af",
      resumedAgentId: "a4b20af7c1d93e652",
      pin: { id: "a4b20af7c1d93e652" },
    },
    { success: true, message: "Message queued for a4b20af" },
  ];
  for (const result of [messageSent("2026-02", delivery), broadcastSent(delivery, []), ...results]) {
    expect(sendMessageTool.output["2026-02"].parse(result)).toEqual(result);
  }
  for (const result of [messageSent("2026-11", delivery), ...results]) {
    expect(sendMessageTool.output["2026-11"].parse(result)).toEqual(result);
  }
  expect(takes(sendMessageTool.output["2026-11"], broadcastSent(delivery, []))).toBe(false);
});
