import Anthropic from "@anthropic-ai/sdk";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cutToolUse, fault, startFakeAnthropic, text, thinking, toolUse } from "./index.ts";
import type { FakeAnthropic } from "./server.ts";

const ask = { model: "claude-opus-5", max_tokens: 1000, messages: [{ role: "user" as const, content: "hello" }] };

let fake: FakeAnthropic;
let client: Anthropic;
beforeEach(async () => {
  fake = await startFakeAnthropic({ replies: [] });
  client = new Anthropic({ baseURL: fake.url, apiKey: "key", maxRetries: 0 });
});
afterEach(() => fake.close());

const finished = () => client.messages.stream(ask).finalMessage();

describe("an answer", () => {
  const content = [
    thinking("Two calls, side by side — ünïcode ✓ 🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂."),
    text("I look at both."),
    toolUse("Read", { path: "a.ts", range: [1, 2], nested: { b: 1, a: "é" } }),
    toolUse("Read", { path: "b.ts" }, "toolu_own"),
  ];

  test.each(["streamed", "whole"])("%s arrives at the client as the script has it, with counted ids", async (how) => {
    fake.push(content);
    const message = await (how === "streamed" ? finished() : client.messages.create(ask));
    expect(message.content).toMatchObject([
      { ...content[0], signature: expect.stringMatching(/./) },
      content[1],
      { ...content[2], id: "toolu_0001" },
      content[3],
    ]);
    expect(message).toMatchObject({ id: "msg_0001", stop_reason: "tool_use", model: ask.model });
    // "hello" has 5 bytes: 2 tokens.
    expect(message.usage).toMatchObject({
      input_tokens: 2,
      cache_read_input_tokens: 0,
      output_tokens: expect.any(Number),
    });
  });

  test("streams its events in the documented order, a ping among them", async () => {
    fake.push([thinking("Hm."), toolUse("Read", { path: "a.ts" })]);
    const response = await client.messages.create({ ...ask, stream: true }).asResponse();
    const names = [...(await response.text()).matchAll(/^event: (\w+)\ndata: .*"type":"(\w+_delta)?/gm)].map(
      ([, name]) => name,
    );
    expect(names).toEqual([
      "message_start",
      ...["content_block_start", "ping", "content_block_delta", "content_block_delta", "content_block_stop"],
      ...[
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
      ],
      ...["message_delta", "message_stop"],
    ]);
  });

  test("never parts a character between two deltas", async () => {
    fake.push(`x${"🙂".repeat(40)}`);
    const deltas: string[] = [];
    await client.messages
      .stream(ask)
      .on("text", (delta) => deltas.push(delta))
      .finalMessage();
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.filter((delta) => !delta.isWellFormed())).toEqual([]);
  });

  test("the client keeps the bytes of a thought and its signature from the stream to the next request", async () => {
    fake.push([thinking("First this, then that."), toolUse("Read", {})], "done");
    const { content } = await finished();
    const [call] = content.filter((block) => block.type === "tool_use");
    const results = [{ type: "tool_result" as const, tool_use_id: call?.id ?? "", content: "ok" }];
    const messages = [
      ...ask.messages,
      { role: "assistant" as const, content },
      { role: "user" as const, content: results },
    ];
    await client.messages.create({ ...ask, messages });
    const sent = JSON.parse(String(fake.requests[1]?.body));
    expect(sent.messages[1].content[0]).toEqual(content[0]);
    expect(fake.requests[1]?.body.toString()).toBe(JSON.stringify({ ...ask, messages }));
  });

  test("can be cut inside the input of a call, by max_tokens", async () => {
    fake.push({ content: [cutToolUse("Write", '{"path": "a.ts", "text": "unfin')], stopReason: "max_tokens" });
    const message = await finished();
    expect(message.stop_reason).toBe("max_tokens");
    expect(message.content[0]).toMatchObject({ name: "Write", input: { path: "a.ts" } });
  });

  test("an answer contains blocks of other kinds unchanged", async () => {
    const blocks = [
      { type: "redacted_thinking" as const, data: "c2VjcmV0" },
      { type: "server_tool_use" as const, id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
    ];
    fake.push({ content: blocks, stopReason: "pause_turn" });
    expect(await finished()).toMatchObject({ content: blocks, stop_reason: "pause_turn" });
  });

  test("carries the stop reason, its details and the output tokens that the script gives", async () => {
    const stopDetails = { type: "refusal", category: null, explanation: null };
    fake.push({ content: [], stopReason: "refusal", stopDetails, outputTokens: 7 });
    const message = await finished();
    expect(message).toMatchObject({ stop_reason: "refusal", stop_details: stopDetails, usage: { output_tokens: 7 } });
  });
});

describe("who answers", () => {
  test("a queue first, then the rule, and an echo where the rule has nothing to say", async () => {
    const rule = ({ messages }: { messages: readonly unknown[] }) => (messages.length > 1 ? "by rule" : undefined);
    const ruled = await startFakeAnthropic({ rule });
    const other = new Anthropic({ baseURL: ruled.url, apiKey: "key" });
    ruled.push("queued");
    const long = { ...ask, messages: [...ask.messages, ...ask.messages] };
    const said = [];
    for (const request of [ask, long, ask]) said.push((await other.messages.create(request)).content[0]);
    await ruled.close();
    expect(said).toMatchObject([{ text: "queued" }, { text: "by rule" }, { text: "hello" }]);
  });

  test("nobody, when the list has run out: the request is refused", async () => {
    await expect(finished()).rejects.toThrow(/no reply left/);
  });

  test("the cache alone, when a request asks for no tokens", async () => {
    fake.push("not taken");
    const message = await client.messages.create({ ...ask, max_tokens: 0 });
    expect(message).toMatchObject({ content: [], stop_reason: "max_tokens", usage: { output_tokens: 0 } });
    expect((await finished()).content).toMatchObject([{ text: "not taken" }]);
  });
});

describe("the log", () => {
  test("holds the bytes, headers, status, usage and one hash a position", async () => {
    fake.push("hi");
    const { usage } = await client.messages.create({ ...ask, system: "be short" }, { headers: { "x-of-test": "1" } });
    expect(fake.requests).toHaveLength(1);
    expect(fake.requests[0]).toMatchObject({ path: "/v1/messages", status: 200, usage, isClosedEarly: false });
    expect(fake.requests[0]?.headers).toMatchObject({ "x-of-test": "1", "anthropic-version": "2026-10-21" });
    expect(fake.requests[0]?.prefixHashes).toHaveLength(2);
    expect(await fake.requests[0]?.ended).toBe("answered");
  });

  test("the log records that the client closed the connection in the middle of an answer", async () => {
    fake.push(fault.stalled("a long text that takes a while", 4));
    const stream = client.messages.stream(ask);
    await new Promise<void>((resolve) => stream.once("text", () => resolve()));
    stream.abort();
    await expect(stream.finalMessage()).rejects.toThrow(Anthropic.APIUserAbortError);
    expect(await fake.requests[0]?.ended).toBe("closed");
    expect(fake.requests[0]?.isClosedEarly).toBe(true);
  });

  test("the log has the status of a stream that stopped early", async () => {
    fake.push(fault.stalled("x", 0));
    const stream = await client.messages.create({ ...ask, stream: true });
    expect(fake.requests[0]).toMatchObject({ status: 200 });
    stream.controller.abort();
    expect(await fake.requests[0]?.ended).toBe("closed");
  });

  test("resolves `received` when so many requests are there, before they are answered", async () => {
    fake.push(fault.stalled("x", 0), fault.stalled("x", 0));
    const streams = [client.messages.stream(ask), client.messages.stream(ask)];
    await fake.received(2);
    for (const stream of streams) stream.abort();
    await Promise.allSettled(streams.map((stream) => stream.finalMessage()));
    expect(await Promise.all(fake.requests.map(({ ended }) => ended))).toEqual(["closed", "closed"]);
  });
});

test("tokens are counted without an answer being taken", async () => {
  const tools = [{ name: "Read", input_schema: { type: "object" as const } }];
  const counted = await client.messages.countTokens({
    model: ask.model,
    messages: ask.messages,
    system: "12345678",
    tools,
  });
  // {"name":"Read","input_schema":{"type":"object"}} has 48 bytes: 12. "12345678": 2. "hello": 2.
  expect(counted).toEqual({ input_tokens: 16 });
});

test("only the loopback address is listened on, and nothing is after close", async () => {
  expect(fake.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const other = await startFakeAnthropic();
  const pending = fetch(other.url, { method: "POST", body: "x" }).then((response) => response.status);
  expect(await pending).toBe(404);
  await other.close();
  await expect(fetch(other.url)).rejects.toThrow();
});
