import { expect, test } from "vitest";
import { revisions } from "../revisions/revision.ts";
import { readBody, requestIdOf } from "./body.ts";

const timestamp = "2026-02-13T10:10:53.467Z";
const bodies = {
  idle: { type: "idle_notification", from: "a", timestamp, idleReason: "available" },
  request: { type: "shutdown_request", requestId: "r", from: "team-lead", reason: "done", timestamp },
  approved: {
    type: "shutdown_approved",
    requestId: "r",
    from: "a",
    timestamp,
    paneId: "%1",
    backendType: "tmux",
  },
  rejected: { type: "shutdown_rejected", requestId: "r", from: "a", reason: "busy", timestamp },
  plan: {
    type: "plan_approval_request",
    from: "a",
    timestamp,
    planFilePath: "/p.md",
    planContent: "# P",
    requestId: "r",
  },
  rejection: { type: "plan_approval_response", requestId: "r", approved: false, feedback: "more", timestamp },
  permission: {
    type: "permission_request",
    request_id: "r",
    agent_id: "a",
    tool_name: "Bash",
    tool_use_id: "u",
    description: "d",
    input: {},
    permission_suggestions: [],
  },
  refusal: { type: "permission_response", request_id: "r", subtype: "error", error: "no" },
};
const renamed = (body: object, from: string, to: string) =>
  JSON.stringify(Object.fromEntries(Object.entries(body).map(([key, value]) => [key === from ? to : key, value])));

test.each<[keyof typeof bodies, string, string]>([
  ["idle", "from", "agent"],
  ["request", "requestId", "request_id"],
  ["approved", "requestId", "request_id"],
  ["rejected", "requestId", "request_id"],
  ["plan", "requestId", "request_id"],
  ["rejection", "requestId", "request_id"],
  ["rejection", "approved", "approve"],
  ["permission", "request_id", "requestId"],
  ["refusal", "request_id", "requestId"],
])(
  "[ATP-MSG-020] of %s the field %s is read from %s as well, in its place, and both names are told",
  (name, ours, theirs) => {
    for (const revision of revisions) {
      const read = readBody(renamed(bodies[name], ours, theirs), revision);
      expect(read).toEqual({
        kind: "message",
        body: bodies[name],
        problems: [
          {
            path: `/${theirs}`,
            code: "field_alias",
            message: `/${theirs} is read as /${ours}`,
            fix: `call it ${ours}`,
          },
        ],
      });
      expect(read.kind === "message" && Object.keys(read.body)).toEqual(Object.keys(bodies[name]));
    }
  },
);

test("our spelling of a field wins over another one, which is kept as an unknown field", () => {
  const both = { ...bodies.request, request_id: "other" };
  expect(readBody(JSON.stringify(both), "2026-02")).toEqual({ kind: "message", body: both, problems: [] });
});

test("a type that has no such field keeps what looks like another spelling", () => {
  const assignment = {
    type: "task_assignment",
    taskId: "1",
    subject: "s",
    description: "d",
    assignedBy: "a",
    timestamp,
    request_id: "r",
    agent: "b",
    approve: true,
  };
  expect(readBody(JSON.stringify(assignment), "2026-02")).toEqual({ kind: "message", body: assignment, problems: [] });
});

test.each([
  ["idle", { agent: "a", timestamp, idleReason: "x" }, "idle_notification"],
  [
    "shutdown_response",
    { approve: true, requestId: "r", from: "a", timestamp, paneId: "", backendType: "tmux" },
    "shutdown_approved",
  ],
  ["shutdown_response", { approve: false, requestId: "r", from: "a", reason: "x", timestamp }, "shutdown_rejected"],
])("the type %s of another writer is read with all its fields, in their order, and told", (type, fields, ours) => {
  const read = readBody(JSON.stringify({ type, ...fields }), "2026-02");
  expect(read).toMatchObject({ kind: "message", body: { type: ours } });
  const problems = read.kind === "message" ? read.problems : [];
  expect(problems[0]).toEqual({
    path: "/type",
    code: "field_alias",
    message: `${type} is read as ${ours}`,
    fix: `write ${ours}`,
  });
  const keys = Object.keys(fields).map((key) => (key === "agent" ? "from" : key));
  expect(read.kind === "message" && Object.keys(read.body)).toEqual(["type", ...keys]);
});

test("an answer to a shutdown that says neither yes nor no is a type of tomorrow, with its fields as they stand", () => {
  for (const approve of [undefined, "true", 1, null]) {
    const body = JSON.parse(JSON.stringify({ type: "shutdown_response", approve, request_id: "r" }));
    expect(readBody(JSON.stringify(body), "2026-02")).toEqual({ kind: "unknown", type: "shutdown_response", body });
  }
});

test("another spelling is reported beside what is wrong, also where nothing can be read", () => {
  expect(readBody('{"type":"shutdown_request","request_id":"r","reason":5}', "2026-02")).toMatchObject({
    kind: "message",
    body: { type: "shutdown_request", requestId: "r" },
    problems: [{ code: "field_alias" }, { path: "/from" }, { path: "/reason" }, { path: "/timestamp" }],
  });
  const list = JSON.stringify(Array(10_001).fill(0));
  expect(readBody(`{"type":"shutdown_request","request_id":"r","list":${list}}`, "2026-02")).toMatchObject({
    kind: "invalid",
    type: "shutdown_request",
    problems: [{ code: "field_alias" }, { path: "/list" }],
  });
  expect(readBody('{"type":"idle","timestamp":5,"from":[]}', "2026-02")).toMatchObject({
    kind: "message",
    problems: [{ path: "/type" }, { path: "/from" }, { path: "/timestamp" }, { path: "/idleReason" }],
  });
});

test("a key called __proto__ is carried over when a field is renamed", () => {
  const read = readBody('{"type":"shutdown_request","request_id":"r","__proto__":{"reason":"x"}}', "2026-02");
  expect(read.kind === "message" && Object.keys(read.body)).toEqual(["type", "requestId", "__proto__"]);
  expect(read.kind === "message" && read.body["reason"]).toBeUndefined();
});

test("[ATP-MSG-020] the id that joins request and answer is the one of the kind's own spelling", () => {
  const both = { requestId: "camel", request_id: "snake" };
  const idOf = (type: string, ids: object = both) => requestIdOf({ type, ...ids } as never);
  for (const type of ["shutdown_request", "shutdown_approved", "shutdown_rejected"]) expect(idOf(type)).toBe("camel");
  for (const type of ["plan_approval_request", "plan_approval_response"]) expect(idOf(type)).toBe("camel");
  for (const type of ["permission_request", "permission_response"]) expect(idOf(type)).toBe("snake");
  for (const type of ["task_assignment", "idle_notification", "of_tomorrow"]) expect(idOf(type)).toBeUndefined();
  expect(idOf("shutdown_request", { requestId: 5 })).toBeUndefined();
});
