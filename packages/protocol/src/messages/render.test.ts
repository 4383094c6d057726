import { expect, test } from "vitest";
import { revisions } from "../revisions/revision.ts";
import { hasColor, type MessageDraft, messageKinds, readBody, renderBody } from "./body.ts";

const timestamp = "2026-02-13T10:10:53.467Z";
const idle: MessageDraft = { type: "idle_notification", from: "a", timestamp, idleReason: "available" };

test("fields that are undefined, unknown, or not written by the revision are left out", () => {
  const draft = { ofTomorrow: 1, ...idle, summary: undefined, result: "done" } as unknown as MessageDraft;
  expect(renderBody(draft, "2026-02")).toBe(
    `{"type":"idle_notification","from":"a","timestamp":"${timestamp}","idleReason":"available"}`,
  );
  expect(renderBody(draft, "2026-11")).toBe(
    `{"type":"idle_notification","from":"a","timestamp":"${timestamp}","idleReason":"available","result":"done"}`,
  );
  const odd = { ...idle, result: 5 } as unknown as MessageDraft;
  expect(renderBody(odd, "2026-02")).toBe(renderBody(idle, "2026-02"));
  expect(() => renderBody(odd, "2026-11")).toThrow("/result");
});

test("a body of no known type is refused by its type, and has no colour", () => {
  const body = { type: "of_tomorrow", from: "a" } as unknown as MessageDraft;
  for (const revision of revisions) {
    expect(() => renderBody(body, revision)).toThrow(
      expect.objectContaining({
        code: "document_invalid",
        message: 'there is no message of type "of_tomorrow"',
        details: { body },
      }),
    );
  }
  expect(hasColor(body)).toBe(false);
});

test("a body that its revision would not take is refused with every fault, which the other may not have", () => {
  const { idleReason: _, ...bare } = idle;
  expect(() => renderBody({ ...bare, from: 5 } as unknown as MessageDraft, "2026-02")).toThrow(
    expect.objectContaining({
      code: "document_invalid",
      message: expect.stringContaining(
        "of 2026-02 cannot be written: /from is 5, not a string; /idleReason is missing",
      ),
      details: {
        problems: [expect.objectContaining({ path: "/from" }), expect.objectContaining({ path: "/idleReason" })],
      },
    }),
  );
  expect(JSON.parse(renderBody(bare, "2026-11"))).toEqual(bare);
  const grant = {
    type: "permission_response",
    request_id: "r",
    subtype: "success",
    response: { updated_input: {} },
  } satisfies MessageDraft;
  expect(() => renderBody(grant, "2026-02")).toThrow("/response/permission_updates is missing");
  expect(JSON.parse(renderBody(grant, "2026-11"))).toEqual(grant);
});

test.each<[string, object, string]>([
  ["an approval with feedback", { approved: true, permissionMode: "plan", feedback: "x" }, "/feedback"],
  ["an approval without a mode", { approved: true }, "/permissionMode"],
  ["a rejection with a mode", { approved: false, feedback: "x", permissionMode: "plan" }, "/permissionMode"],
  ["a rejection without feedback", { approved: false }, "/feedback"],
  ["an answer that is neither", { approved: "yes", feedback: "x" }, "/approved"],
])("[ATP-MSG-012] [ATP-MSG-013] %s is not written, and reported where it is read", (_, fields, path) => {
  const body = { type: "plan_approval_response", requestId: "r", timestamp, ...fields };
  for (const revision of revisions) {
    expect(() => renderBody(body as never, revision)).toThrow(path);
    expect(readBody(JSON.stringify(body), revision)).toMatchObject({ problems: [{ path }] });
  }
});

test.each<[string, object, string]>([
  [
    "a grant with an error",
    { subtype: "success", response: { updated_input: {}, permission_updates: [] }, error: "x" },
    "/error",
  ],
  ["a grant without a response", { subtype: "success" }, "/response"],
  ["a refusal with a response", { subtype: "error", error: "no", response: { updated_input: {} } }, "/response"],
  ["a refusal without an error", { subtype: "error" }, "/error"],
  ["an answer that is neither", { subtype: "maybe", error: "no" }, "/subtype"],
  [
    "a grant with faulty proof",
    { subtype: "success", response: { updated_input: {}, permission_updates: [] }, tool_use_id: 5 },
    "/tool_use_id",
  ],
  ["a refusal with faulty proof", { subtype: "error", error: "no", approved_request: 5 }, "/approved_request"],
])("[ATP-MSG-018] [ATP-MSG-019] %s is reported where it is read, and not written", (_, fields, path) => {
  const body = { type: "permission_response", request_id: "r", ...fields };
  expect(() => renderBody(body as never, "2026-11")).toThrow(path);
  for (const revision of revisions)
    expect(readBody(JSON.stringify(body), revision)).toMatchObject({ problems: [{ path }] });
});

test("blanks before and behind a body do not make it a text", () => {
  expect(readBody(` \n\t${JSON.stringify(idle)}\n`, "2026-02")).toEqual({ kind: "message", body: idle, problems: [] });
});

test.each(revisions)("%s: a message without a time, or with what is none, is reported and not written", (revision) => {
  const examples = messageKinds.map(({ published }) => published[revision].meta()?.["examples"] as MessageDraft[]);
  const timed = examples.flat().filter((body) => body["timestamp"] !== undefined);
  expect(timed).toHaveLength(7);
  for (const body of timed) {
    for (const time of ["yesterday", "2026-02-13", undefined]) {
      const faulty = { ...body, timestamp: time } as MessageDraft;
      expect(() => renderBody(faulty, revision), body.type).toThrow("/timestamp");
      expect(readBody(JSON.stringify(faulty), revision)).toMatchObject({ problems: [{ path: "/timestamp" }] });
    }
  }
});

test("[ATP-MSG-105] what was approved is proved by the call, the tool and the input, or not at all", () => {
  const approved_request = { tool_use_id: "u", tool_name: "Bash", input_digest: "d" };
  const grant = { type: "permission_response", request_id: "r", subtype: "success", response: { updated_input: {} } };
  expect(readBody(JSON.stringify({ ...grant, approved_request }), "2026-11")).toMatchObject({ problems: [] });
  for (const part of Object.keys(approved_request)) {
    for (const value of [undefined, 5]) {
      const body = { ...grant, approved_request: { ...approved_request, [part]: value } };
      expect(readBody(JSON.stringify(body), "2026-11")).toMatchObject({
        kind: "invalid",
        problems: [{ path: `/approved_request/${part}` }],
      });
      expect(() => renderBody(body as never, "2026-11")).toThrow(`/approved_request/${part}`);
    }
  }
});

test.each(revisions)(
  "%s: a grant whose input or whose updates are none grants nothing, and is not written",
  (revision) => {
    const response = { updated_input: { command: "ls" }, permission_updates: [] };
    for (const [bad, place] of [
      [{ updated_input: "ls" }, "/response/updated_input"],
      [{ updated_input: ["ls"] }, "/response/updated_input"],
      [{ updated_input: undefined }, "/response/updated_input"],
      [{ permission_updates: "all" }, "/response/permission_updates"],
      [{ permission_updates: ["all"] }, "/response/permission_updates/0"],
      [{ permission_updates: [{ type: "setMode" }] }, "/response/permission_updates/0"],
    ] as const) {
      const grant = {
        type: "permission_response",
        request_id: "r",
        subtype: "success",
        response: { ...response, ...bad },
      };
      const read = readBody(JSON.stringify(grant), revision);
      expect(read.kind, JSON.stringify(bad)).toBe("invalid");
      expect(read.kind === "invalid" && read.problems[0]?.path.startsWith(place), JSON.stringify(read)).toBe(true);
      expect(() => renderBody(grant as never, revision)).toThrow(place);
    }
  },
);

test("the report on a body is cut like every other", () => {
  const permission_suggestions = Array(150).fill(0);
  const read = readBody(JSON.stringify({ type: "permission_request", permission_suggestions }), "2026-02");
  expect(read.kind === "invalid" && read.problems).toHaveLength(101);
  expect(read.kind === "invalid" && read.problems.at(-1)).toMatchObject({ code: "problems_omitted" });
});

test("an assignment of what is no task means nothing", () => {
  for (const taskId of ["one", "01", "", 1]) {
    const body = { type: "task_assignment", taskId, subject: "s", description: "d", assignedBy: "a", timestamp };
    expect(readBody(JSON.stringify(body), "2026-02")).toMatchObject({
      kind: "invalid",
      problems: [{ path: "/taskId" }],
    });
  }
});

test("a message has its sender's colour where a member speaks of itself, and no answer or order of a lead has one", () => {
  const colored = messageKinds.filter(({ type }) => hasColor({ type } as MessageDraft)).map(({ type }) => type);
  expect(colored.sort()).toEqual(["idle_notification", "permission_request", "shutdown_approved", "shutdown_rejected"]);
});
