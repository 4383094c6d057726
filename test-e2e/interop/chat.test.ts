import { createAgents, toolUse } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { untilSeen } from "../../scripts/awaited.ts";
import { asDelta, asMessages, type ChatRequest, startFakeChat } from "./chat.ts";
import { agentOf, resultsOf, toldTo } from "./conversation.ts";

const asked: ChatRequest = {
  model: "any",
  messages: [
    { role: "system", content: "be agent:nobody" },
    { role: "user", content: [{ type: "text", text: "agent:ann hello" }] },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", function: { name: "TaskList", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c1", content: "no tasks" },
  ],
  tools: [{ function: { name: "TaskList", description: "Agents: ann.", parameters: { type: "object" } } }],
};

test("a chat request is read in the words of the Messages API: its agent, what it was told, results of its calls, what its tools say", () => {
  const request = asMessages(asked);
  expect(agentOf(request)).toBe("ann");
  expect(toldTo(request)).toBe("agent:ann hello\nno tasks");
  expect(resultsOf(request, ["c1"])).toEqual(["no tasks"]);
  expect(request.tools).toEqual([{ name: "TaskList", description: "Agents: ann.", input_schema: { type: "object" } }]);
});

test("texts and calls are written as a delta; of a call without an id one is made", () => {
  expect(asDelta("Yes.", () => "new")).toEqual({ role: "assistant", content: "Yes." });
  expect(asDelta([toolUse("A", { b: 1 }, "c2"), toolUse("B", {})], () => "new")).toEqual({
    role: "assistant",
    content: null,
    tool_calls: [
      { index: 0, id: "c2", type: "function", function: { name: "A", arguments: '{"b":1}' } },
      { index: 1, id: "new", type: "function", function: { name: "B", arguments: "{}" } },
    ],
  });
  expect(() => asDelta({ kind: "dropped" }, () => "new")).toThrow("texts and calls alone");
});

test("the endpoint streams what the script of an agent says, and refuses other paths", async () => {
  const { rule, agent } = createAgents({ nameOf: agentOf });
  agent("ann").push([toolUse("TaskList", {}, "c2")]);
  const chat = await startFakeChat({ rule, thinkingMs: 0 });
  try {
    const post = (path: string) => fetch(`${chat.url}${path}`, { method: "POST", body: JSON.stringify(asked) });
    const lines = (await (await post("/v1/chat/completions")).text()).trim().split("\n\n");
    const [first, last] = lines.slice(0, 2).map((line) => JSON.parse(line.slice("data: ".length)));
    expect(first.choices[0].delta.tool_calls[0]).toMatchObject({ id: "c2", function: { name: "TaskList" } });
    expect(last.choices[0].finish_reason).toBe("tool_calls");
    expect(lines.at(-1)).toBe("data: [DONE]");
    expect(agent("ann").requests).toHaveLength(1);
    await untilSeen("the end of the request", () => chat.requests[0]?.status !== undefined);
    expect(chat.requests).toMatchObject([
      { path: "/v1/chat/completions", json: asked, status: 200, isClosedEarly: false },
    ]);
    expect((await post("/v1/models")).status).toBe(404);
  } finally {
    await chat.close();
  }
});
