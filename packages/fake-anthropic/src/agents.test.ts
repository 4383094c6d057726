import Anthropic from "@anthropic-ai/sdk";
import { expect, onTestFinished, test } from "vitest";
import { createAgents, type MessagesRequest, startFakeAnthropic } from "./index.ts";

const wordsOf = ({ messages }: MessagesRequest) => JSON.stringify(messages);

async function shared() {
  const agents = createAgents({ nameOf: (request) => /I am (\w+)/.exec(wordsOf(request))?.[1] });
  const fake = await startFakeAnthropic({ rule: agents.rule });
  onTestFinished(() => fake.close());
  const client = new Anthropic({ baseURL: fake.url, apiKey: "any", maxRetries: 0 });
  const say = async (content: string) => {
    const messages = [{ role: "user" as const, content }];
    const answer = await client.messages.create({ model: "claude-opus-4-6", max_tokens: 9, messages });
    return answer.content.map((block) => (block.type === "text" ? block.text : block.type)).join();
  };
  return { ...agents, fake, say, client };
}

test("each agent has the replies that were meant for it, whoever asks first", async () => {
  const { agent, say } = await shared();
  agent("ann").push("for ann", "for ann again");
  agent("bob").push("for bob");
  expect(await say("I am bob")).toBe("for bob");
  expect(await say("I am ann")).toBe("for ann");
  expect(await say("I am ann")).toBe("for ann again");
  expect(await say("I am ann")).toBe("OK.");
  expect(await say("a title, please")).toBe("OK.");
  expect(agent("ann").requests).toHaveLength(3);
  expect(agent("bob").requests).toHaveLength(1);
});

test("an agent whose reply is a promise waits for it while others are answered", async () => {
  const { agent, say } = await shared();
  let decide = (_: string) => {};
  const decided = new Promise<string>((resolve) => {
    decide = resolve;
  });
  agent("ann").push(decided);
  const waiting = say("I am ann");
  await agent("ann").seen((request) => request.messages.length === 1);
  expect(await say("I am bob")).toBe("OK.");
  decide("go on");
  expect(await waiting).toBe("go on");
});

test("what an agent has seen is found in its last request or in one to come, until nobody looks any more", async () => {
  const { agent, say } = await shared();
  const looking = agent("ann").seen((request) => /fence (\w+)/.exec(wordsOf(request))?.[1]);
  await say("I am ann");
  await say("I am ann: the fence green");
  expect(await looking).toBe("green");
  expect(await agent("ann").seen((request) => wordsOf(request).includes("green"))).toBe(true);
  const giving = new AbortController();
  const never = agent("ann").seen(() => undefined, giving.signal);
  giving.abort(new Error("nobody looks"));
  await expect(never).rejects.toThrow("nobody looks");
  await expect(agent("ann").seen(() => undefined, AbortSignal.abort(new Error("too late")))).rejects.toThrow(
    "too late",
  );
});

test("a client finds the server and its models before it asks anything", async () => {
  const { fake, client } = await shared();
  expect((await fetch(fake.url, { method: "HEAD" })).status).toBe(200);
  const ids: string[] = [];
  for await (const { id } of client.models.list()) ids.push(id);
  expect(ids).toContain("claude-opus-4-6");
});
