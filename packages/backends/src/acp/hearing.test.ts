import type { RequestPermissionRequest, SessionUpdate } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { type AgentCall, hearAgent, type Verdict } from "./hearing.ts";

const options: RequestPermissionRequest["options"] = [
  { optionId: "1", name: "Always", kind: "allow_always" },
  { optionId: "2", name: "Yes", kind: "allow_once" },
  { optionId: "3", name: "No", kind: "reject_once" },
];
const never = new AbortController().signal;
const question = (toolCall: Partial<RequestPermissionRequest["toolCall"]> = {}): RequestPermissionRequest => ({
  sessionId: "s",
  toolCall: { toolCallId: "c", title: "rm -rf build", kind: "execute", ...toolCall },
  options,
});

/** An agent whose calls a test decides about. */
function heard() {
  const calls: AgentCall[] = [];
  const told: string[] = [];
  let decide: (verdict: Verdict) => void = () => {};
  const decided = new Promise<Verdict>((resolve) => {
    decide = resolve;
  });
  const hearing = hearAgent({
    decide: (call) => {
      calls.push(call);
      return decided;
    },
    onCall: ({ id, title }, phase) => void told.push(`${id} ${title} ${phase}`),
    show: (message) => void told.push(message),
  });
  return { ...hearing, calls, told, decide };
}

test("of more than twenty questions at once the rest are answered with cancelled, and a person is asked about none of them", async () => {
  const { begin, asked, calls, told, decide } = heard();
  begin();
  const answers = Array.from({ length: 25 }, () => asked(question(), never));
  expect(await Promise.all(answers.slice(20))).toEqual(Array(5).fill({ outcome: { outcome: "cancelled" } }));
  expect(calls).toHaveLength(20);
  expect(told).toContain("rm -rf build is not run: the agent has 20 open questions");
  decide("allow");
  expect(await Promise.all(answers.slice(0, 20))).toEqual(
    Array(20).fill({ outcome: { outcome: "selected", optionId: "2" } }),
  );
});

test("a yes that comes after the turn was cancelled allows nothing, and between turns nothing is asked", async () => {
  const { begin, asked, calls, decide } = heard();
  const cancelled = { outcome: { outcome: "cancelled" } };
  expect(await asked(question(), never)).toEqual(cancelled);
  const turn = begin();
  const answer = asked(question(), never);
  turn.giveUp();
  decide("allow");
  expect(await answer).toEqual(cancelled);
  expect(await asked(question(), never)).toEqual(cancelled);
  expect(calls).toHaveLength(1);
});

test("calls are told once each, an end without a beginning is not, and names of any length are cut", () => {
  const { begin, updated, told } = heard();
  const call = (toolCallId: string, title: string): SessionUpdate => ({
    sessionUpdate: "tool_call",
    toolCallId,
    title,
    status: "in_progress",
  });
  const end = (toolCallId: string): SessionUpdate => ({
    sessionUpdate: "tool_call_update",
    toolCallId,
    status: "completed",
  });
  updated(call("early", "x"));
  const turn = begin();
  for (const one of [call("a", "paint"), call("a", "paint"), end("b"), end("a"), end("a")]) updated(one);
  expect(told).toEqual(["a paint began", "a paint completed"]);
  updated(call("i".repeat(10_000), "t".repeat(10_000)));
  expect(told.at(-1)?.length).toBeLessThan(500);
  turn.end();
  updated(call("late", "x"));
  expect(told).toHaveLength(3);
});

test("a question without an input shows what would be changed", async () => {
  const { begin, asked, calls, decide } = heard();
  begin();
  decide("deny");
  const content = [{ type: "diff" as const, path: "/fence", oldText: "red", newText: "green" }];
  expect(await asked(question({ kind: "edit", content }), never)).toEqual({
    outcome: { outcome: "selected", optionId: "3" },
  });
  expect(calls[0]?.input).toEqual({ file_path: "/fence", old_string: "red", new_string: "green" });
});

test.each([
  [{ toolName: "mcp__troupe__send_message" }, "mcp__troupe__send_message"],
  [{ claudeCode: { toolName: "Task" } }, "Task"],
  [{ toolName: 7, claudeCode: null }, undefined],
  [null, undefined],
])("of a call with %j the lead is told the tool, besides its title", async (_meta, tool) => {
  const { begin, asked, calls, decide } = heard();
  begin();
  decide("deny");
  await asked(question({ _meta, kind: "other", title: '{"to":"lead"}' }), never);
  expect(calls).toMatchObject([{ title: '{"to":"lead"}', tool }]);
});
