import Anthropic from "@anthropic-ai/sdk";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeAnthropic, startFakeAnthropic, thinking, toolUse } from "./index.ts";

type Blocks = Anthropic.ContentBlock[];
const user = (...content: unknown[]) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const text = (text: string) => ({ type: "text", text });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "ok" });
const binding = "claude-opus-5-5";
const loose = "claude-opus-5";
const betas = { "anthropic-beta": "thinking-binding-controls-2026-08-01" };
const dropBlock = { thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } } };

let fake: FakeAnthropic;
let client: Anthropic;
beforeEach(async () => {
  fake = await startFakeAnthropic();
  client = new Anthropic({ baseURL: fake.url, apiKey: "key", maxRetries: 0 });
});
afterEach(() => fake.close());

const send = (body: object, headers: Record<string, string> = {}) =>
  client.post<Anthropic.Message>("/v1/messages", { body: { max_tokens: 100, ...body }, headers });

/** A conversation of three turns, each with a thought and a call, whose last call is answered. */
async function conversation(model: string) {
  const messages: { role: string; content: unknown }[] = [user(text("begin"))];
  for (const n of [1, 2, 3]) {
    fake.push([thinking(`thought ${n}`), toolUse("Read", { n }, `toolu_${n}`)]);
    const { content } = await send({ model, system: "be exact", messages });
    messages.push(assistant(content), user(result(`toolu_${n}`)));
  }
  return { model, system: "be exact", messages };
}

const withoutThoughts = (body: Awaited<ReturnType<typeof conversation>>, ...turns: readonly number[]) => ({
  ...body,
  messages: body.messages.map((message, n) =>
    turns.includes(n) ? assistant((message.content as Blocks).filter(({ type }) => type !== "thinking")) : message,
  ),
});

/** The first thought is in message 1, the second in 3, the third in 5. */
const withThought = (body: Awaited<ReturnType<typeof conversation>>, change: object) => ({
  ...body,
  messages: body.messages.map((message, n) =>
    n === 1
      ? assistant((message.content as Blocks).map((block, i) => (i === 0 ? { ...block, ...change } : block)))
      : message,
  ),
});

const taken = { type: "message" };

describe("a model that binds its thoughts to what stands before them", () => {
  test("the server accepts unchanged thoughts with other marks, limits and tool choice", async () => {
    const body = await conversation(binding);
    const system = [{ ...text("be exact"), cache_control: { type: "ephemeral" } }];
    const others = { system, max_tokens: 7, tool_choice: { type: "none" }, output_config: { effort: "low" } };
    await expect(send({ ...body, ...others })).resolves.toMatchObject(taken);
  });

  test.each([
    ["another system prompt", { system: "be exact!" }],
    ["another tool", { tools: [{ name: "New", input_schema: {} }] }],
  ])("refuses them behind %s", async (_, change) => {
    await expect(send({ ...(await conversation(binding)), ...change })).rejects.toThrow(
      /bound to a different conversation/,
    );
  });

  test("refuses them behind another message", async () => {
    const body = await conversation(binding);
    const messages = [user(text("begin differently")), ...body.messages.slice(1)];
    await expect(send({ ...body, messages })).rejects.toThrow(/messages\.1\.content\.0: .*bound to a different/);
  });

  test.each([
    ["the first is left out", [1], true],
    ["the last is left out", [5], true],
    ["all are left out", [1, 3, 5], true],
    ["one between two others is left out", [3], false],
  ])("judges the row of them when %s", async (_, turns, isTaken) => {
    const answer = send(withoutThoughts(await conversation(binding), ...turns));
    if (isTaken) await expect(answer).resolves.toMatchObject(taken);
    else await expect(answer).rejects.toThrow(/bound to a different conversation/);
  });

  test("leaves out those that do not fit, and all behind them, for a client that asked for it", async () => {
    const body = await conversation(binding);
    const changed = { ...withoutThoughts(body, 3), ...dropBlock };
    await expect(send(changed)).rejects.toThrow(/bound to a different/);
    await expect(send(changed, betas)).resolves.toMatchObject(taken);
    // One position each: the system prompt, begin, and of three turns the call and its result; and
    // the first thought.
    expect(fake.requests.at(-1)?.prefixHashes).toHaveLength(1 + 1 + 6 + 1);
  });
});

describe("any model", () => {
  test("a model that does not bind thoughts accepts them behind a changed prefix", async () => {
    await expect(send({ ...(await conversation(loose)), system: "other" })).resolves.toMatchObject(taken);
  });

  test("leaves the thoughts of another model out, in silence", async () => {
    await expect(send({ ...(await conversation(binding)), model: loose })).resolves.toMatchObject(taken);
    expect(fake.requests.at(-1)?.prefixHashes).toHaveLength(1 + 1 + 6);
  });

  test.each([
    ["whose text was changed", { thinking: "thought 1!" }, /cannot be modified/],
    ["whose signature is not ours", { signature: "c2lnbmF0dXJl" }, /Invalid `signature`/],
    ["that carries a mark", { cache_control: { type: "ephemeral" } }, /cache_control cannot be set for thinking/],
  ])("refuses a thought %s", async (_, change, message) => {
    await expect(send(withThought(await conversation(loose), change))).rejects.toThrow(message);
  });
});
