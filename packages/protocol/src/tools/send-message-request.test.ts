import fc from "fast-check";
import { expect, test } from "vitest";
import { type Revision, revisions } from "../revisions/revision.ts";
import { AddressedSendMessage, sendMessageTool } from "./send-message.ts";
import { normaliseSendMessage, summaryOf } from "./send-message-request.ts";

const paths = (call: unknown, revision: Revision): string[] =>
  normaliseSendMessage(call, revision).problems.map(({ path }) => path);
const without = (call: object, field: string) =>
  Object.fromEntries(Object.entries(call).filter(([key]) => key !== field));

const message = { kind: "message", to: "alice", text: "Please begin.", summary: "begin", notifyWhenIdle: false };
const shutdownRequest = { kind: "shutdown_request", to: "alice", reason: "All is done" };
const answer = { kind: "shutdown_response", requestId: "r1", approve: false, reason: "Task 3 first" };
const verdict = { kind: "plan_approval_response", to: "alice", requestId: "r2", approve: false, feedback: "Add tests" };

test.each([
  [{ type: "message", recipient: "alice", content: "Please begin.", summary: "begin" }, message],
  [{ to: "alice", message: "Please begin.", summary: "begin" }, message],
  [
    { to: "alice", message: "Please begin.", summary: "begin", notify_when_idle: true },
    { ...message, notifyWhenIdle: true },
  ],
  [{ type: "shutdown_request", recipient: "alice", content: "All is done" }, shutdownRequest],
  [
    { type: "shutdown_request", recipient: "alice" },
    { ...shutdownRequest, reason: "" },
  ],
  [{ to: "alice", message: { type: "shutdown_request", reason: "All is done" } }, shutdownRequest],
  [
    { type: "shutdown_response", request_id: "r1", approve: false, content: "Task 3 first" },
    { ...answer, to: undefined },
  ],
  [
    {
      to: "team-lead",
      message: { type: "shutdown_response", request_id: "r1", approve: false, reason: "Task 3 first" },
    },
    { ...answer, to: "team-lead" },
  ],
  [
    { type: "shutdown_response", request_id: "r1", approve: true },
    { ...answer, to: undefined, approve: true, reason: "" },
  ],
  [
    { type: "plan_approval_response", request_id: "r2", recipient: "alice", approve: false, content: "Add tests" },
    verdict,
  ],
  [
    {
      to: "alice",
      message: { type: "plan_approval_response", request_id: "r2", approve: false, feedback: "Add tests" },
    },
    verdict,
  ],
  [
    { to: "alice", message: { type: "plan_approval_response", request_id: "r2", approve: true } },
    { ...verdict, approve: true, feedback: "" },
  ],
])("[SEND-14] %j means the same under either revision", (call, request) => {
  for (const revision of revisions) {
    expect(normaliseSendMessage(call, revision)).toStrictEqual({ request, problems: [] });
  }
});

test.each([
  [
    { type: "message", recipient: "alice", content: "Please begin.", summary: "begin" },
    ["recipient", "content", "summary"],
  ],
  [{ to: "alice", message: "Please begin.", summary: "begin" }, ["to", "message", "summary"]],
])("[ATP-SND-001, SEND-03] in 2026-02 the text %j is refused without any of its fields", (call, required) => {
  expect(normaliseSendMessage(call, "2026-02").problems).toEqual([]);
  for (const field of required) {
    expect(normaliseSendMessage(without(call, field), "2026-02")).toMatchObject({
      problems: [{ path: `/${field}`, code: "field_missing" }],
    });
    expect(paths({ ...call, [field]: "" }, "2026-02")).toEqual([`/${field}`]);
  }
});

test.each([
  [{ type: "broadcast", content: "Stop.", summary: "stop" }, ["content", "summary"]],
  [{ type: "shutdown_request", recipient: "alice" }, ["recipient"]],
  [{ type: "shutdown_response", request_id: "r1", approve: true }, ["request_id", "approve"]],
  [
    { type: "plan_approval_response", request_id: "r1", recipient: "alice", approve: true },
    ["request_id", "recipient", "approve"],
  ],
])("[ATP-SND-015] in 2026-02 %j is refused without any of its fields", (call, required) => {
  expect(normaliseSendMessage(call, "2026-02").problems).toEqual([]);
  for (const field of required) {
    const { request, problems } = normaliseSendMessage(without(call, field), "2026-02");
    expect(request).toBeUndefined();
    expect(problems.map(({ path }) => path)).toEqual([`/${field}`]);
  }
});

test("[ATP-SND-103] in 2026-11 a missing summary is the first line of the text, cut at 200 characters", () => {
  const summary = (text: string) => {
    const { request } = normaliseSendMessage({ to: "alice", message: text }, "2026-11");
    return request?.kind === "message" ? request.summary : undefined;
  };
  expect(summary("\n  Begin with the parser.  \nThen the tests.")).toBe("Begin with the parser.");
  expect(summary("x".repeat(500))).toBe("x".repeat(200));
  expect(summary(`${"x".repeat(199)}😀`)).toBe("x".repeat(199));
  const typed = normaliseSendMessage({ type: "message", recipient: "alice", content: "Begin." }, "2026-11");
  expect(typed.request).toMatchObject({ summary: "Begin." });
});

test("a summary made from any text is one line that the schema takes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 500 }), (text) => {
      const summary = summaryOf(text);
      expect(summary).not.toMatch(/[\n\r]/);
      expect(AddressedSendMessage.safeParse({ to: "alice", message: text, summary }).success).toBe(true);
    }),
  );
});

test("in 2026-11 a summary of more than 200 characters is refused in either form", () => {
  const summary = "s".repeat(201);
  expect(paths({ to: "alice", message: "hello", summary }, "2026-11")).toEqual(["/summary"]);
  expect(paths({ type: "message", recipient: "alice", content: "hello", summary }, "2026-11")).toEqual(["/summary"]);
});

test("[SEND-04] in 2026-02 a text to * is a broadcast, as is one of type broadcast", () => {
  const request = { kind: "broadcast", text: "Stop.", summary: "stop" };
  for (const call of [
    { to: "*", message: "Stop.", summary: "stop" },
    { type: "broadcast", content: "Stop.", summary: "stop" },
  ]) {
    expect(normaliseSendMessage(call, "2026-02")).toEqual({ request, problems: [] });
  }
});

test.each([
  { to: "*", message: { type: "shutdown_request" } },
  { to: "*", message: { type: "shutdown_response", request_id: "r", approve: true } },
  { to: "*", message: { type: "plan_approval_response", request_id: "r", approve: true } },
  { type: "shutdown_request", recipient: "*" },
  { type: "plan_approval_response", request_id: "r", recipient: "*", approve: true },
])("[SEND-04, ATP-SND-013] the structured message %j is not broadcast", (call) => {
  const { request, problems } = normaliseSendMessage(call, "2026-02");
  expect(request).toBeUndefined();
  expect(problems).toMatchObject([{ message: expect.stringMatching(/cannot be broadcast/) }]);
});

test("[ATP-SND-101] in 2026-11 nothing is broadcast: * and the type are refused", () => {
  expect(normaliseSendMessage({ to: "*", message: "Stop." }, "2026-11")).toEqual({
    problems: [
      {
        path: "/to",
        code: "field_invalid",
        message: 'to must be a bare teammate name, not "*"',
        fix: "use one member's name alone",
      },
    ],
  });
  expect(paths({ type: "broadcast", content: "Stop.", summary: "stop" }, "2026-11")).toEqual(["/type"]);
});

test("[ATP-SND-101] in 2026-11 name@team is no recipient", () => {
  const { request, problems } = normaliseSendMessage({ to: "alice@my-team", message: "hello" }, "2026-11");
  expect(request).toBeUndefined();
  expect(problems[0]?.message).toMatch(/^to must be a bare teammate name/);
});

test("[MSG-01] in 2026-02 the recipient is a name, not the id of a member", () => {
  const call = { type: "message", recipient: "alice@my-team", content: "hello", summary: "hello" };
  expect(paths(call, "2026-02")).toEqual(["/recipient"]);
});

test("an empty text is refused, unless the call asks only to hear of idleness", () => {
  expect(paths({ to: "alice", message: "" }, "2026-11")).toEqual(["/message"]);
  expect(normaliseSendMessage({ to: "alice", message: "", notify_when_idle: true }, "2026-11")).toEqual({
    request: { kind: "message", to: "alice", text: "", summary: "", notifyWhenIdle: true },
    problems: [],
  });
});

test("a problem is about the field, not about the forms that exist", () => {
  expect(paths({ type: "gossip", recipient: "alice" }, "2026-02")).toEqual(["/type"]);
  expect(paths({ to: "alice", message: { type: "gossip" } }, "2026-11")).toEqual(["/message/type"]);
  expect(paths({ to: "alice", message: { type: "shutdown_response", approve: true } }, "2026-11")).toEqual([
    "/message/request_id",
  ]);
  expect(paths({}, "2026-11")).toEqual(["/to", "/message"]);
  expect(paths("hello", "2026-11")).toEqual([""]);
});

const anyCall = fc.oneof(
  fc.anything(),
  fc.record(
    {
      type: fc.oneof(
        fc.constantFrom(
          "message",
          "broadcast",
          "shutdown_request",
          "shutdown_response",
          "plan_approval_response",
          "__proto__",
        ),
        fc.anything(),
      ),
      recipient: fc.oneof(fc.constantFrom("alice", "*", "alice@team", " "), fc.string(), fc.anything()),
      content: fc.oneof(fc.string(), fc.anything()),
      summary: fc.oneof(fc.string(), fc.anything()),
      request_id: fc.oneof(fc.string(), fc.anything()),
      approve: fc.oneof(fc.boolean(), fc.anything()),
    },
    { requiredKeys: [] },
  ),
  fc.record(
    {
      to: fc.oneof(fc.constantFrom("alice", "*", "alice@team", " "), fc.string(), fc.anything()),
      message: fc.oneof(
        fc.string(),
        fc.record(
          {
            type: fc.oneof(
              fc.constantFrom("shutdown_request", "shutdown_response", "plan_approval_response"),
              fc.anything(),
            ),
            request_id: fc.string(),
            approve: fc.boolean(),
            reason: fc.oneof(fc.string(), fc.anything()),
          },
          { requiredKeys: [] },
        ),
        fc.anything(),
      ),
      summary: fc.oneof(fc.string(), fc.anything()),
      notify_when_idle: fc.oneof(fc.boolean(), fc.anything()),
    },
    { requiredKeys: [] },
  ),
);

test("whatever is called, there is a request or a problem, and never an exception", () => {
  fc.assert(
    fc.property(anyCall, fc.constantFrom(...revisions), (call, revision) => {
      const { request, problems } = normaliseSendMessage(call, revision);
      expect(request === undefined).toBe(problems.length > 0);
    }),
    { numRuns: 700 },
  );
});

test("an accepted message has the published form of the revision, or the typed form", () => {
  fc.assert(
    fc.property(anyCall, fc.constantFrom(...revisions), (call, revision) => {
      const { request } = normaliseSendMessage(call, revision);
      const isTyped = typeof call === "object" && call !== null && Object.hasOwn(call, "type");
      if (request && !(isTyped && revision === "2026-11")) {
        expect(sendMessageTool.input[revision].safeParse(call).success).toBe(true);
      }
    }),
    { numRuns: 700 },
  );
});

test("a call never reaches the prototype", () => {
  const hostile: unknown = JSON.parse(
    '{"to":"alice","message":"hello","__proto__":{"summary":"forged","polluted":true}}',
  );
  expect(normaliseSendMessage(hostile, "2026-02").problems).toMatchObject([
    { path: "/summary", code: "field_missing" },
  ]);
  expect(normaliseSendMessage(hostile, "2026-11").request).toMatchObject({ summary: "hello" });
  expect("polluted" in {}).toBe(false);
});
