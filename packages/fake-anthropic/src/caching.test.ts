import Anthropic from "@anthropic-ai/sdk";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  createVirtualClock,
  type FakeAnthropic,
  fault,
  models,
  startFakeAnthropic,
  type VirtualClock,
} from "./index.ts";

const minute = 60_000;
const ephemeral = { type: "ephemeral" };
/** So many tokens: four bytes each. */
const words = (tokens: number) => "word".repeat(tokens);
const marked = (text: string, cache_control: object = ephemeral) => ({ type: "text", text, cache_control });
const user = (content: unknown) => ({ role: "user", content });
const base = { model: "claude-opus-5", max_tokens: 10 };

let clock: VirtualClock;
let fake: FakeAnthropic;
let client: Anthropic;
beforeEach(async () => {
  clock = createVirtualClock();
  const ahead = { ...models[0], id: "claude-ahead", minimumTokens: 512, readMultiplier: 0.1, rendersConfigAhead: true };
  fake = await startFakeAnthropic({ clock, models: [...models, ahead], timeToFirstToken: (uncached) => uncached / 20 });
  client = new Anthropic({ baseURL: fake.url, apiKey: "key", maxRetries: 0 });
});
afterEach(() => fake.close());

/**
 * One request whose answer begins at once on the virtual clock: read, 5m write, 1h write, and the
 * rest.
 */
async function send(body: object) {
  const answer = client.post<Anthropic.Message>("/v1/messages", { body: { ...base, ...body } });
  const settled = answer.then(
    () => true,
    () => true,
  );
  await fake.received(fake.requests.length + 1);
  clock.advance(minute / 2);
  await settled;
  const { usage } = await answer;
  const { ephemeral_5m_input_tokens, ephemeral_1h_input_tokens } = usage.cache_creation ?? {};
  return [usage.cache_read_input_tokens, ephemeral_5m_input_tokens, ephemeral_1h_input_tokens, usage.input_tokens];
}

describe("over the wire", () => {
  test("requests sent side by side all miss and all pay; after the first event the next one reads", async () => {
    const body = { ...base, messages: [user([marked(words(2000)), { type: "text", text: words(5) }])] };
    const answers = [1, 2, 3].map(() => client.post<Anthropic.Message>("/v1/messages", { body }));
    const usages = Promise.all(answers.map(async (answer) => (await answer).usage.cache_creation_input_tokens));
    await fake.received(3);
    clock.advance(99);
    // 2005 uncached tokens take 100.25 ms: a fourth request at 99 ms still misses.
    const fourth = client.post<Anthropic.Message>("/v1/messages", { body });
    const early = Promise.all([fourth]);
    await fake.received(4);
    clock.advance(102);
    expect(await usages).toEqual([2000, 2000, 2000]);
    expect((await early)[0].usage.cache_creation_input_tokens).toBe(2000);
    expect(await send(body)).toEqual([2000, 0, 0, 5]);
  });

  test("five minutes are counted from the start of the request, an hour where it is asked for", async () => {
    const system = [marked(words(600), { ...ephemeral, ttl: "1h" })];
    const body = { system, messages: [user([marked(words(100)), { type: "text", text: words(3) }])] };
    expect(await send(body)).toEqual([0, 100, 600, 3]);
    // `send` has let half a minute pass.
    clock.advance(4.5 * minute - 1);
    expect(await send(body)).toEqual([700, 0, 0, 3]);
    // Read a millisecond before its end, it has another five minutes.
    clock.advance(4.5 * minute - 1);
    expect(await send(body)).toEqual([700, 0, 0, 3]);
    clock.advance(4.5 * minute);
    expect(await send(body)).toEqual([600, 100, 0, 3]);
  });

  test("a client that leaves before the answer begins has written nothing", async () => {
    const body = { ...base, messages: [user([marked(words(2000))])] };
    const leaving = new AbortController();
    const left = client.post("/v1/messages", { body, signal: leaving.signal }).catch(() => "left");
    await fake.received(1);
    leaving.abort();
    expect([await left, await fake.requests[0]?.ended]).toEqual(["left", "closed"]);
    clock.advance(minute);
    expect(fake.requests[0]).toMatchObject({ isClosedEarly: true });
    expect(await send(body)).toEqual([0, 2000, 0, 0]);
  });

  test("a request that the script fails has read and written nothing", async () => {
    const body = { messages: [user([marked(words(2000))])] };
    fake.push(fault.overloaded());
    await expect(send(body)).rejects.toThrow(/Overloaded/);
    expect(await send(body)).toEqual([0, 2000, 0, 0]);
  });

  test("a request for no tokens writes the cache that the next one reads", async () => {
    const messages = [user([marked(words(2000))])];
    expect(await send({ messages, max_tokens: 0 })).toEqual([0, 2000, 0, 0]);
    expect(await send({ messages })).toEqual([2000, 0, 0, 0]);
  });

  test("prefix hashes are equal as far as two requests share their prefix, marks or not", async () => {
    const ask = (text: string) => [user([{ type: "text", text: words(10) }, marked(text)])];
    await send({ system: words(5), messages: ask("one") });
    await send({ system: [marked(words(5))], messages: ask("two") });
    const [one = [], two = []] = fake.requests.map(({ prefixHashes }) => prefixHashes);
    expect(one).toHaveLength(3);
    expect(one.slice(0, 2)).toEqual(two.slice(0, 2));
    expect(one[2]).not.toBe(two[2]);
  });
});

describe("a top-level cache_control", () => {
  test("marks the last block that can carry a mark", async () => {
    const messages = [user(words(2000))];
    expect(await send({ messages, cache_control: ephemeral })).toEqual([0, 2000, 0, 0]);
    const longer = [...messages, { role: "assistant", content: words(7) }, user(words(4))];
    expect(await send({ messages: longer, cache_control: ephemeral })).toEqual([2000, 11, 0, 0]);
  });

  test("changes nothing where that block is marked alike", async () => {
    const four = { system: [marked("a"), marked("b"), marked("c")], messages: [user([marked(words(2000))])] };
    expect(await send({ ...four, cache_control: ephemeral })).toEqual([0, 2003, 0, 0]);
  });

  test("walks back over what cannot be marked", async () => {
    const { content } = await thought();
    const messages = [user(words(600)), { role: "assistant", content: [{ type: "text", text: words(4) }, ...content] }];
    // The thought is the last block: the mark goes to the text before it.
    expect(await send({ messages, cache_control: ephemeral, model: "claude-opus-4-8" })).toEqual([0, 0, 0, 604 + 2]);
    expect(
      await send({
        messages: [user(words(1200)), ...messages.slice(1)],
        cache_control: ephemeral,
        model: "claude-opus-4-8",
      }),
    ).toEqual([0, 1204, 0, 2]);
  });

  async function thought() {
    fake.push([{ type: "thinking", thinking: "thought." }]);
    const body = { ...base, model: "claude-opus-4-8", messages: [user("x")] };
    const answer = client.post<Anthropic.Message>("/v1/messages", { body });
    const settled = Promise.all([answer]);
    await fake.received(1);
    clock.advance(minute);
    return (await settled)[0];
  }
});

describe("a change of a request leaves exactly this part of the cache", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "" } };
  const source = { type: "text", media_type: "text/plain", data: "word" };
  const document = { type: "document", source, citations: { enabled: true } };
  const tool = { name: "Read", description: words(1000), input_schema: { type: "object" } };
  const call = { type: "tool_use", id: "toolu_1", name: "Read", input: { a: 1, b: 2 } };
  const result = { type: "tool_result", tool_use_id: "toolu_1", content: words(20) };
  const conversation = (
    input: object = call.input,
    last: unknown = marked(words(30)),
    first: unknown = [marked(words(50))],
  ) => [user(first), { role: "assistant", content: [{ ...call, input }] }, user([result, last])];
  const request = {
    tools: [{ ...tool, cache_control: ephemeral }],
    system: [marked(words(300))],
    messages: conversation(),
  };

  // {"name":"Read","description":"…","input_schema":{"type":"object"}} is 4000 + 65 bytes.
  const ofTools = Math.ceil(JSON.stringify(tool).length / 4);
  const ofSystem = ofTools + 300;
  // The call is counted by its JSON ["tool_use","toolu_1","Read",{"a":1,"b":2}]: 44 bytes, 11
  // tokens.
  const all = ofSystem + 50 + 11 + 20 + 30;

  test.each([
    ["nothing", {}, all],
    ["how many tokens are asked for", { max_tokens: 99 }, all],
    ["metadata", { metadata: { user_id: "u" } }, all],
    ["the default effort, said aloud", { output_config: { effort: "high" } }, all],
    ["the default tool choice, said aloud", { tool_choice: { type: "auto" } }, all],
    ["a block of content written as a string", { messages: conversation(undefined, undefined, words(50)) }, all],
    ["a tool that is deferred", { tools: [...request.tools, { ...tool, name: "Late", defer_loading: true }] }, all],
    ["the order of the keys of an input", { messages: conversation({ b: 2, a: 1 }) }, ofSystem + 50],
    ["the tool choice", { tool_choice: { type: "any" } }, ofSystem],
    ["parallel tools forbidden", { tool_choice: { type: "auto", disable_parallel_tool_use: true } }, ofSystem],
    ["thinking", { thinking: { type: "adaptive" } }, ofSystem],
    ["the effort", { output_config: { effort: "low" } }, ofSystem],
    ["an image at the end", { messages: conversation(undefined, { ...image, cache_control: ephemeral }) }, ofSystem],
    ["citations", { messages: conversation(undefined, { ...document, cache_control: ephemeral }) }, ofTools],
    ["the system prompt", { system: [marked(words(299))] }, ofTools],
    ["the speed", { speed: "fast" }, ofTools],
    ["web search", { tools: [...request.tools, { type: "web_search_20250305", name: "web_search" }] }, ofTools],
    ["a tool", { tools: [{ ...tool, description: words(999), cache_control: ephemeral }] }, 0],
    ["the model", { model: "claude-fable-5" }, 0],
  ])("%s", async (_, change, left) => {
    await send(request);
    expect((await send({ ...request, ...change }))[0]).toBe(left);
  });

  test("the thinking, on a model that renders it ahead of the tools: nothing is left", async () => {
    const ahead = { ...request, model: "claude-ahead" };
    await send(ahead);
    expect((await send({ ...ahead, thinking: { type: "adaptive" } }))[0]).toBe(0);
  });
});
