import { expect, test } from "vitest";
import { type Revision, revisions } from "../revisions/revision.ts";
import { planAnswerBody, shutdownAnswerBody, shutdownRequestBody } from "./send-message-body.ts";
import { normaliseSendMessage, type SendMessageRequest } from "./send-message-request.ts";

function requestOf<Kind extends SendMessageRequest["kind"]>(
  call: unknown,
  kind: Kind,
  revision: Revision = "2026-02",
): Extract<SendMessageRequest, { kind: Kind }> {
  const { request } = normaliseSendMessage(call, revision);
  if (request?.kind !== kind) throw new Error(`not a ${kind}`);
  return request as Extract<SendMessageRequest, { kind: Kind }>;
}

const timestamp = "2026-02-13T10:13:29.576Z";
const answered = { from: "alice", timestamp, paneId: "%71", backendType: "tmux" };
const granted = { timestamp, permissionMode: "acceptEdits" };

test("[MSG-11] the content of a message and of a broadcast is its text, unchanged", () => {
  const content = '  {"type":"shutdown_request"}\n\u0000 ';
  expect(requestOf({ type: "message", recipient: "alice", content, summary: "s" }, "message").text).toBe(content);
  expect(requestOf({ type: "broadcast", content, summary: "s" }, "broadcast").text).toBe(content);
  for (const revision of revisions) {
    expect(requestOf({ to: "alice", message: content, summary: "s" }, "message", revision).text).toBe(content);
  }
});

test("[MSG-11, ATP-MSG-009] the content of a shutdown request becomes its inner reason", () => {
  const request = requestOf(
    { type: "shutdown_request", recipient: "alice", content: "All is done" },
    "shutdown_request",
  );
  const body = shutdownRequestBody(request, {
    requestId: "shutdown-1770977603516@alice",
    from: "team-lead",
    timestamp,
  });
  expect(JSON.stringify(body)).toBe(
    '{"type":"shutdown_request","requestId":"shutdown-1770977603516@alice","from":"team-lead",' +
      '"reason":"All is done","timestamp":"2026-02-13T10:13:29.576Z"}',
  );
});

test("[ATP-SND-106] in 2026-11 the reason of a shutdown request lands in the inner reason", () => {
  const call = { to: "alice", message: { type: "shutdown_request", reason: "All is done" } };
  const body = shutdownRequestBody(requestOf(call, "shutdown_request", "2026-11"), {
    requestId: "shutdown-1@alice",
    from: "team-lead",
    timestamp,
  });
  expect(body.reason).toBe("All is done");
});

test("a request without a reason keeps the field", () => {
  const request = requestOf({ type: "shutdown_request", recipient: "alice" }, "shutdown_request");
  expect(shutdownRequestBody(request, { requestId: "shutdown-1@alice", from: "team-lead", timestamp }).reason).toBe("");
});

test("[MSG-11] approve and request_id become shutdown_approved with the pane and backend of the member", () => {
  const request = requestOf(
    { type: "shutdown_response", request_id: "shutdown-1@alice", approve: true },
    "shutdown_response",
  );
  expect(JSON.stringify(shutdownAnswerBody(request, answered))).toBe(
    '{"type":"shutdown_approved","requestId":"shutdown-1@alice","from":"alice","timestamp":"2026-02-13T10:13:29.576Z",' +
      '"paneId":"%71","backendType":"tmux"}',
  );
});

test("a refused shutdown becomes shutdown_rejected with the content as its reason", () => {
  const call = { type: "shutdown_response", request_id: "shutdown-1@alice", approve: false, content: "still busy" };
  expect(JSON.stringify(shutdownAnswerBody(requestOf(call, "shutdown_response"), answered))).toBe(
    '{"type":"shutdown_rejected","requestId":"shutdown-1@alice","from":"alice","reason":"still busy",' +
      '"timestamp":"2026-02-13T10:13:29.576Z"}',
  );
});

test("an approved plan grants a mode and carries no feedback", () => {
  const call = { type: "plan_approval_response", request_id: "p1", recipient: "alice", approve: true, content: "fine" };
  const request = requestOf(call, "plan_approval_response");
  expect(JSON.stringify(planAnswerBody(request, granted))).toBe(
    '{"type":"plan_approval_response","requestId":"p1","approved":true,"timestamp":"2026-02-13T10:13:29.576Z",' +
      '"permissionMode":"acceptEdits"}',
  );
  expect(Object.keys(planAnswerBody(request, { ...granted, planDigest: "00" })).at(-1)).toBe("planDigest");
});

test("a rejected plan carries the feedback and grants nothing", () => {
  const call = {
    to: "alice",
    message: { type: "plan_approval_response", request_id: "p1", approve: false, feedback: "Add tests" },
  };
  const request = requestOf(call, "plan_approval_response", "2026-11");
  expect(JSON.stringify(planAnswerBody(request, { ...granted, planDigest: "00" }))).toBe(
    '{"type":"plan_approval_response","requestId":"p1","approved":false,"feedback":"Add tests",' +
      '"timestamp":"2026-02-13T10:13:29.576Z"}',
  );
});
