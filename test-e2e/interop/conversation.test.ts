import { expect, test } from "vitest";
import { agentOf, countsOf, markOf, resultsOf, toldTo } from "./conversation.ts";
import { dialectOf } from "./dialect.ts";

const user = (...content: { type: string; [field: string]: unknown }[]) => ({ role: "user" as const, content });
const text = (text: string) => ({ type: "text", text });
const tools = [{ name: "Bash" }];

test("an agent is told by the mark in the first thing that it was told, and by none of what came later", () => {
  const messages = [user(text("<system>"), text(`${markOf("ann-2")} begin`)), user(text(markOf("bob")))];
  expect(agentOf({ messages, tools })).toBe("ann-2");
  expect(agentOf({ messages: messages.slice(0, 1), tools: [] }), "a title").toBeUndefined();
  const guess = user(text("[SUGGESTION MODE: what comes next"));
  expect(agentOf({ messages: [...messages, guess], tools }), "a guess").toBeUndefined();
  const headers = { "x-agent-purpose": "conversation" };
  expect(agentOf({ messages: messages.slice(1), tools }, { headers }), "said in a header").toBe("team-lead");
});

test("what an agent was told holds results of tools and nothing that it said itself", () => {
  const own = { role: "assistant" as const, content: [text("mine")] };
  const result = { type: "tool_result", tool_use_id: "t1", content: [text("from a tool")] };
  const messages = [user(text("a word")), own, user(result)];
  expect(toldTo({ messages })).toBe("a word\nfrom a tool");
  expect(resultsOf({ messages }, ["t1"])).toEqual(["from a tool"]);
  expect(resultsOf({ messages }, ["t1", "t2"])).toBeUndefined();
});

test("marks are counted each for itself", () => {
  expect([...countsOf("<a-1> <a-10> <a-1>", ["<a-1>", "<a-10>", "<a-2>"]).values()]).toEqual([2, 1, 0]);
});

test("calls are written in the words that a client offers its model", () => {
  const flat = { name: "SendMessage", input_schema: { properties: { recipient: {} } } };
  const later = { name: "SendMessage", input_schema: { properties: { to: {} } } };
  const first = dialectOf({ tools: [flat, { name: "Task" }, { name: "TeamCreate" }] });
  const second = dialectOf({ tools: [later, { name: "Agent" }] });
  expect(first.send("ann", "hello")).toEqual([
    "SendMessage",
    { recipient: "ann", type: "message", content: "hello", summary: "a word" },
  ]);
  expect(second.answerEnd("team-lead", "r", false, "busy")).toMatchObject([
    "SendMessage",
    { to: "team-lead", message: { type: "shutdown_response", request_id: "r", approve: false, reason: "busy" } },
  ]);
  expect(first.spawn("ann", "go", { team: "crew" })).toMatchObject(["Task", { team_name: "crew" }]);
  expect(second.spawn("ann", "go", { team: "crew" })[1]).not.toHaveProperty("team_name");
  expect(() => dialectOf({ tools: [] })).toThrow("SendMessage");
});
