import fc from "fast-check";
import { expect, test } from "vitest";
import { revisions } from "../revisions/revision.ts";
import { type MessageDraft, readBody, renderBody, requestIdOf } from "./body.ts";
import { peerSummary } from "./idle-notification.ts";

const timestamp = "2026-02-13T10:10:53.467Z";
const idle: MessageDraft = { type: "idle_notification", from: "alice", timestamp, idleReason: "available" };
const assignment: MessageDraft = {
  type: "task_assignment",
  taskId: "1",
  subject: "s",
  description: "d",
  assignedBy: "team-lead",
  timestamp,
};
const shutdown: MessageDraft = {
  type: "shutdown_request",
  requestId: "shutdown-1@a",
  from: "team-lead",
  reason: "done",
  timestamp,
};
const approvedShutdown: MessageDraft = {
  type: "shutdown_approved",
  requestId: "shutdown-1@a",
  from: "a",
  timestamp,
  paneId: "%18",
  backendType: "tmux",
};
const rejectedShutdown: MessageDraft = {
  type: "shutdown_rejected",
  requestId: "shutdown-1@a",
  from: "a",
  reason: "busy",
  timestamp,
};
const plan: MessageDraft = {
  type: "plan_approval_request",
  from: "p",
  timestamp,
  planFilePath: "/h/plans/a.md",
  planContent: "# P",
  requestId: "plan_approval-1@p@t",
};
const approval: MessageDraft = {
  type: "plan_approval_response",
  requestId: "plan_approval-1@p@t",
  approved: true,
  timestamp,
  permissionMode: "default",
};
const rejection: MessageDraft = {
  type: "plan_approval_response",
  requestId: "plan_approval-1@p@t",
  approved: false,
  feedback: "more",
  timestamp,
};
const permission: MessageDraft = {
  type: "permission_request",
  request_id: "perm-1-4uqstf5",
  agent_id: "a",
  tool_name: "Bash",
  tool_use_id: "toolu_1",
  description: "make a directory",
  input: { command: "mkdir /tmp/x" },
  permission_suggestions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
};
const grant: MessageDraft = {
  type: "permission_response",
  request_id: "perm-1-4uqstf5",
  subtype: "success",
  response: { updated_input: { command: "mkdir /tmp/x" }, permission_updates: [] },
};
const refusal: MessageDraft = {
  type: "permission_response",
  request_id: "perm-1-4uqstf5",
  subtype: "error",
  error: "no",
};
const all = [
  idle,
  assignment,
  shutdown,
  approvedShutdown,
  rejectedShutdown,
  plan,
  approval,
  rejection,
  permission,
  grant,
  refusal,
];

const keysOf = (body: MessageDraft, revision: (typeof revisions)[number]) =>
  Object.keys(JSON.parse(renderBody(body, revision)));

test.each<[string, MessageDraft, number, string]>([
  ["[INBOX-20] [ATP-MSG-002] task_assignment", assignment, 6, "type taskId subject description assignedBy timestamp"],
  ["[INBOX-18] [ATP-MSG-004] idle_notification", idle, 4, "type from timestamp idleReason"],
  ["[MSG-13] [ATP-MSG-006] shutdown_request", shutdown, 5, "type requestId from reason timestamp"],
  ["[MSG-14] [ATP-MSG-008] shutdown_approved", approvedShutdown, 6, "type requestId from timestamp paneId backendType"],
  ["[MSG-15] shutdown_rejected", rejectedShutdown, 5, "type requestId from reason timestamp"],
  ["[PLAN-03] [ATP-MSG-010] plan_approval_request", plan, 6, "type from timestamp planFilePath planContent requestId"],
  ["[PLAN-06] [ATP-MSG-012] plan approval", approval, 5, "type requestId approved timestamp permissionMode"],
  ["[PLAN-07] [ATP-MSG-013] plan rejection", rejection, 5, "type requestId approved feedback timestamp"],
  [
    "[PPROT-02] [ATP-MSG-014] permission_request",
    permission,
    8,
    "type request_id agent_id tool_name tool_use_id description input permission_suggestions",
  ],
  ["[PPROT-07] [ATP-MSG-018] permission grant", grant, 4, "type request_id subtype response"],
  ["[PPROT-08] [ATP-MSG-019] permission refusal", refusal, 4, "type request_id subtype error"],
])("%s of 2026-02 has exactly its fields, in the order of the reference client", (_, body, count, keys) => {
  expect(keysOf(body, "2026-02").join(" ")).toBe(keys);
  expect(keys.split(" ")).toHaveLength(count);
  const mayMiss = ["idleReason", "type", "paneId", "backendType"];
  for (const key of keys.split(" ").filter((key) => !mayMiss.includes(key))) {
    const { [key]: _gone, ...rest } = body;
    const read = readBody(JSON.stringify(rest), "2026-02");
    expect("problems" in read && read.problems.length, `without ${key}`).toBeGreaterThan(0);
  }
});

test("[INBOX-22] [ATP-MSG-023] every kind of the quick table has its number of fields in 2026-02", () => {
  const counts = Object.fromEntries(all.map((body) => [body.type, keysOf(body, "2026-02").length]));
  expect(counts).toEqual({
    task_assignment: 6,
    idle_notification: 4,
    shutdown_request: 5,
    shutdown_approved: 6,
    shutdown_rejected: 5,
    plan_approval_request: 6,
    plan_approval_response: 5,
    permission_request: 8,
    permission_response: 4,
  });
  expect(keysOf({ ...idle, summary: "[to bob] hi" } as MessageDraft, "2026-02")).toHaveLength(5);
  for (const body of all) {
    expect(readBody(JSON.stringify({ ...body, tomorrow: 1 }), "2026-02")).toMatchObject({
      problems: [],
      body: { tomorrow: 1 },
    });
  }
});

test("[ATP-MSG-108] the bodies of 2026-11 have their fields, and those of 2026-02 are taken", () => {
  const proof = {
    tool_use_id: "toolu_1",
    approved_request: { tool_use_id: "toolu_1", tool_name: "Bash", input_digest: "ab" },
  };
  const count = (body: MessageDraft) => keysOf(body, "2026-11").length;
  expect([
    count({ ...idle, summary: "s", result: "r" } as MessageDraft),
    count({ ...approval, planDigest: "d" } as MessageDraft),
  ]).toEqual([6, 6]);
  expect([count({ ...grant, ...proof } as MessageDraft), count({ ...refusal, ...proof } as MessageDraft)]).toEqual([
    6, 6,
  ]);
  for (const body of all)
    expect(readBody(renderBody(body, "2026-02"), "2026-11")).toMatchObject({ kind: "message", problems: [] });
});

test("[ATP-MSG-102] idle_notification of 2026-11 ends with the result and may lack reason and result", () => {
  const full = { ...idle, summary: peerSummary("bob", "hello"), result: "done" } as MessageDraft;
  expect(keysOf(full, "2026-11").join(" ")).toBe("type from timestamp idleReason summary result");
  const { idleReason: _, ...bare } = idle as Record<string, unknown>;
  expect(readBody(JSON.stringify(bare), "2026-11")).toMatchObject({ kind: "message", problems: [] });
  expect(readBody(JSON.stringify(bare), "2026-02")).toMatchObject({
    kind: "message",
    problems: [{ path: "/idleReason" }],
  });
  expect(keysOf(full, "2026-02")).not.toContain("result");
});

test("[ATP-MSG-104] [ATP-MSG-105] answers of 2026-11 carry their digests, each in its place", () => {
  const digest = { ...approval, planDigest: "d" } as MessageDraft;
  expect(keysOf(digest, "2026-11").join(" ")).toBe("type requestId approved timestamp permissionMode planDigest");
  const proof = { approved_request: { tool_use_id: "u", tool_name: "Bash", input_digest: "ab" }, tool_use_id: "u" };
  expect(keysOf({ ...grant, ...proof } as MessageDraft, "2026-11").join(" ")).toBe(
    "type request_id subtype tool_use_id approved_request response",
  );
  expect(keysOf({ ...refusal, ...proof } as MessageDraft, "2026-11").join(" ")).toBe(
    "type request_id subtype tool_use_id approved_request error",
  );
  expect(keysOf({ ...grant, ...proof } as MessageDraft, "2026-02")).toHaveLength(4);
});

test("[INBOX-17] a peer message shows in the idle notice as [to <name>] <summary>", () => {
  expect(peerSummary("bob", "Alice-P2P-DM")).toBe("[to bob] Alice-P2P-DM");
});

test("[INBOX-11] [ATP-MSG-020] either spelling of a request id is read, ours is written", () => {
  for (const body of all.filter((one) => requestIdOf(one) !== undefined)) {
    const right = Object.hasOwn(body, "requestId") ? "requestId" : "request_id";
    const wrong = right === "requestId" ? "request_id" : "requestId";
    const text = JSON.stringify(body).replace(`"${right}"`, `"${wrong}"`);
    for (const revision of revisions) {
      const read = readBody(text, revision);
      expect(read, text).toMatchObject({
        kind: "message",
        problems: [{ code: "field_alias", fix: `call it ${right}` }],
      });
      expect(read.kind === "message" && requestIdOf(read.body)).toBe(requestIdOf(body));
    }
    expect(keysOf(body, "2026-02")).toContain(right);
    expect(keysOf(body, "2026-02")).not.toContain(wrong);
  }
});

test("[INBOX-10] [ATP-MSG-003] [ATP-MSG-016] each kind names its sender in its own field", () => {
  const senders = all.map((body) => [
    body.type,
    ["from", "assignedBy", "agent_id"].filter((key) => keysOf(body, "2026-02").includes(key)),
  ]);
  expect(Object.fromEntries(senders)).toEqual({
    task_assignment: ["assignedBy"],
    idle_notification: ["from"],
    shutdown_request: ["from"],
    shutdown_approved: ["from"],
    shutdown_rejected: ["from"],
    plan_approval_request: ["from"],
    plan_approval_response: [],
    permission_request: ["agent_id"],
    permission_response: [],
  });
});

test("other writers' forms are read: approve, a stored shutdown_response, the idle of seed 003", () => {
  const approve = JSON.stringify(approval).replace('"approved"', '"approve"');
  expect(readBody(approve, "2026-02")).toMatchObject({ kind: "message", body: { approved: true } });
  const stored = { ...approvedShutdown, type: "shutdown_response", approve: true };
  expect(readBody(JSON.stringify(stored), "2026-02")).toMatchObject({
    body: { type: "shutdown_approved", requestId: "shutdown-1@a" },
  });
  const refused = { ...rejectedShutdown, type: "shutdown_response", approve: false };
  expect(readBody(JSON.stringify(refused), "2026-02")).toMatchObject({ body: { type: "shutdown_rejected" } });
  expect(readBody(JSON.stringify({ type: "idle", agent: "alice", timestamp }), "2026-02")).toMatchObject({
    body: { type: "idle_notification", from: "alice" },
  });
});

test("a known type whose fields cannot be used says which, and one bad suggestion does not spoil a request", () => {
  expect(readBody('{"type":"shutdown_request","requestId":5}', "2026-02")).toMatchObject({
    kind: "invalid",
    type: "shutdown_request",
    problems: [{ path: "/requestId" }, { path: "/from" }, { path: "/reason" }, { path: "/timestamp" }],
  });
  const bad = { ...permission, permission_suggestions: [{ type: "setMode" }, { type: "tomorrow", x: 1 }] };
  expect(readBody(JSON.stringify(bad), "2026-02")).toMatchObject({
    kind: "message",
    body: { permission_suggestions: [{ type: "tomorrow", x: 1 }] },
  });
});

test("[ATP-MSG-001] a body is written as compact JSON text and reads back as what it was", () => {
  for (const revision of revisions) {
    for (const body of all) {
      const text = renderBody(body, revision);
      expect(text).toBe(JSON.stringify(JSON.parse(text)));
      expect(readBody(text, revision)).toEqual({ kind: "message", body, problems: [] });
    }
  }
});

test("a body that lacks a field is not written", () => {
  const { reason: _, ...rest } = shutdown as Record<string, unknown>;
  expect(() => renderBody(rest as MessageDraft, "2026-02")).toThrow("/reason is missing");
  expect(() => renderBody({ ...rejection, permissionMode: "default" } as unknown as MessageDraft, "2026-02")).toThrow(
    expect.objectContaining({ code: "document_invalid" }),
  );
});

test("no text makes the reader throw or pollutes a prototype", () => {
  const nearly = fc
    .constantFrom(...all)
    .chain((body) =>
      fc
        .dictionary(fc.constantFrom(...Object.keys(body), "__proto__", "x"), fc.jsonValue())
        .map((patch) => JSON.stringify({ ...body, ...patch })),
    );
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), nearly), fc.constantFrom(...revisions), (text, revision) => {
      expect(["text", "message", "invalid", "unknown"]).toContain(readBody(text, revision).kind);
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
  );
});
