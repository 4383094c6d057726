import { expect, test } from "vitest";
import { readJson } from "../json/read-json.ts";
import { openBlockersOf } from "../task.ts";
import { codecFor } from "./detect.ts";
import { revisions } from "./revision.ts";

const each = revisions.map((revision) => [revision, codecFor(revision)] as const);
const task = { id: "2", subject: "s", description: "d", status: "pending", blocks: [], blockedBy: [] };

test.each(each)("%s: a task whose owner or blockers cannot be read is not handed out as free", (_, codec) => {
  for (const bad of [{ owner: 7 }, { owner: {} }, { blockedBy: [1] }, { blockedBy: "1" }, { blockedBy: null }]) {
    const read = codec.readTask(JSON.stringify({ ...task, ...bad }), "2");
    expect(read.value, JSON.stringify(bad)).toBeUndefined();
    expect(read.problems).toHaveLength(1);
  }
});

test.each(each)("[ATP-TSK-001] %s: a task under another task's id is not handed out as that task", (_, codec) => {
  const read = codec.readTask(JSON.stringify({ ...task, id: "1", status: "completed" }), "9");
  expect(read).toMatchObject({ value: undefined, problems: [{ path: "/id", code: "id_mismatched" }] });
});

test("a blocker whose file cannot be read blocks", () => {
  const waiting = { id: "3", status: "pending" as const, blockedBy: ["2"] };
  expect(openBlockersOf([waiting]).get("3")).toEqual([]);
  expect(openBlockersOf([waiting], ["2"]).get("3")).toEqual(["2"]);
});

test.each(each)("%s: an answer with a field that cannot be read grants nothing", (_, codec) => {
  const grant = {
    type: "permission_response",
    request_id: "perm-1-4uqstf5",
    subtype: "success",
    response: { updated_input: {}, permission_updates: [] },
  };
  const approval = {
    type: "plan_approval_response",
    requestId: "r",
    approved: true,
    timestamp: "2026-02-13T10:10:53Z",
    permissionMode: "plan",
  };
  for (const bad of [
    { ...grant, approved_request: "x" },
    { ...grant, approved_request: { tool_use_id: "t", tool_name: "Bash" } },
    { ...grant, response: undefined },
    { ...grant, subtype: "maybe" },
    { ...approval, planDigest: null },
    { ...approval, permissionMode: 5 },
    { ...approval, approved: "true" },
  ]) {
    expect(codec.readBody(JSON.stringify(bad)), JSON.stringify(bad)).toMatchObject({ kind: "invalid" });
  }
});

test.each(each)("%s: a member whose plan duty cannot be read is not handed out as free of it", (_, codec) => {
  const members = [
    { agentId: "a@t", name: "a" },
    { agentId: "b@t", name: "b", planModeRequired: "true" },
  ];
  const text = JSON.stringify({ name: "t", createdAt: 1, leadAgentId: "a@t", members });
  expect(codec.readTeam(text, "t").value?.members.map(({ name }) => name)).toEqual(["a"]);
});

test("millions of faults make no report of millions of lines", () => {
  const numbers = readJson(`[${Array(200_000).fill("12345678901234567890").join()}]`);
  expect(numbers.isWritable).toBe(false);
  expect(numbers.problems.length).toBeLessThanOrEqual(101);
  const keys = readJson(`{${Array(200_000).fill('"a":1').join()}}`);
  expect(keys.problems.length).toBeLessThanOrEqual(101);
});

test("deep and full of faults is read in the memory of a small machine", () => {
  const depth = 60_000;
  const read = readJson(`${"[9007199254740993,".repeat(depth)}1${"]".repeat(depth)}`);
  expect(read.isWritable).toBe(false);
  expect(read.problems.map(({ code }) => code)).toContain("document_too_deep");
});

test.each(each)(
  "%s: ten megabytes of what is no message, no member or no id are refused without an hour's work",
  (_, codec) => {
    const inbox = codec.readInbox(`[${Array(3_300_000).fill("{}").join()}]`);
    expect(inbox.entries).toEqual([]);
    expect(inbox.problems.at(-1)).toMatchObject({ code: "problems_omitted" });
    const zeros = `[${Array(5_000_000).fill("0").join()}]`;
    const team = codec.readTeam(`{"name":"t","createdAt":1,"leadAgentId":"a@t","members":${zeros}}`);
    expect(team).toMatchObject({ value: undefined, problems: [{ path: "/members" }] });
    expect(codec.readTask(`{"id":"1","status":"pending","blocks":${zeros}}`, "1").value).toBeUndefined();
  },
);

test.each(each)(
  "%s: a request with hundreds of thousands of suggestions is refused, one with bad ones read without them",
  (_, codec) => {
    const request = { type: "permission_request", request_id: "r", tool_name: "Bash", input: {} };
    const of = (length: number) =>
      codec.readBody(JSON.stringify({ ...request, permission_suggestions: Array(length).fill(0) }));
    expect(of(400_000)).toMatchObject({ kind: "invalid", problems: [{ path: "/permission_suggestions" }] });
    expect(of(300)).toMatchObject({ kind: "message", body: { permission_suggestions: [] } });
  },
);
