import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeAnthropic, models, startFakeAnthropic } from "./index.ts";

let fake: FakeAnthropic;
let client: Anthropic;
beforeAll(async () => {
  const small = { id: "claude-small", minimumTokens: 1, readMultiplier: 0.1, contextTokens: 100, maxOutputTokens: 50 };
  fake = await startFakeAnthropic({ models: [...models, small] });
  client = new Anthropic({ baseURL: fake.url, apiKey: "key", maxRetries: 0 });
});
afterAll(() => fake.close());

const user = (...content: unknown[]) => ({ role: "user", content });
const assistant = (...content: unknown[]) => ({ role: "assistant", content });
const text = (text: string, more: object = {}) => ({ type: "text", text, ...more });
const call = (id: string) => ({ type: "tool_use", id, name: "Read", input: {} });
const result = (id: string, more: object = {}) => ({ type: "tool_result", tool_use_id: id, content: "ok", ...more });
const ephemeral = { type: "ephemeral" };
const marked = (text: string, ttl?: string) => ({
  type: "text",
  text,
  cache_control: { ...ephemeral, ...(ttl && { ttl }) },
});
const tools = [{ name: "Read", input_schema: { type: "object" } }];

const sound = { model: "claude-opus-5", max_tokens: 100, messages: [user(text("hello"))] };
const post = (change: object, headers: Record<string, string | null> = {}) =>
  client.post("/v1/messages", { body: { ...sound, ...change }, headers });

const refused: Record<string, readonly (readonly [title: string, change: object, message: RegExp])[]> = {
  "the results of tools": [
    [
      "a call without its result",
      { messages: [user(text("a")), assistant(call("1")), user(text("b"))] },
      /without `tool_result`.*: 1\./,
    ],
    ["a call at the end", { messages: [user(text("a")), assistant(call("1"))] }, /without `tool_result`/],
    [
      "one of two calls unanswered",
      { messages: [user(text("a")), assistant(call("1"), call("2")), user(result("1"))] },
      /: 2\./,
    ],
    [
      "text before a result",
      { messages: [user(text("a")), assistant(call("1")), user(text("b"), result("1"))] },
      /must come before/,
    ],
    [
      "a result without its call",
      { messages: [user(text("a")), assistant(call("1")), user(result("1"), result("9"))] },
      /unexpected `tool_use_id`.*9/,
    ],
    ["a result in the first message", { messages: [user(result("1"))] }, /unexpected `tool_use_id`/],
    [
      "two results of one call",
      { messages: [user(text("a")), assistant(call("1")), user(result("1"), result("1"))] },
      /single result/,
    ],
    [
      "a result that comes one turn late",
      { messages: [user(text("a")), assistant(call("1")), user(text("b")), assistant(text("c")), user(result("1"))] },
      /unexpected|without/,
    ],
    [
      "a system message between a call and its result",
      { messages: [user(text("a")), assistant(call("1")), { role: "system", content: "b" }, user(result("1"))] },
      /unexpected|without/,
    ],
    [
      "an id that is used twice",
      { messages: [user(text("a")), assistant(call("1"), call("1")), user(result("1"))] },
      /must be unique/,
    ],
  ],
  messages: [
    ["none", { messages: [] }, /at least one message/],
    [
      "one of the assistant first",
      { messages: [assistant(text("a")), user(text("b"))] },
      /first message must use the "user" role/,
    ],
    ["a role that does not exist", { messages: [{ role: "tool", content: "a" }] }, /messages\.0\.role/],
    [
      "content that is a number",
      { messages: [user(text("a")), { role: "assistant", content: 1 }] },
      /messages\.1\.content/,
    ],
    ["content that is empty", { messages: [user()] }, /non-empty content/],
    [
      "a system message that says nothing at all",
      { messages: [user(text("a")), { role: "system", content: [] }] },
      /messages\.1: all messages must have non-empty content/,
    ],
    ["text that is empty", { messages: [user(text(""))] }, /text content blocks must be non-empty/],
    [
      "a document of the assistant",
      { messages: [user(text("a")), assistant({ type: "document" }), user(text("b"))] },
      /'document'/,
    ],
    ["citations in a text of the user", { messages: [user(text("a", { citations: [] }))] }, /text\.citations/],
    [
      "a system message on a model without them",
      { model: "claude-sonnet-5", messages: [user(text("a")), { role: "system", content: "b" }] },
      /role 'system'/,
    ],
    [
      "a prefilled answer on a model without it",
      { model: "claude-opus-5-5", messages: [user(text("a")), assistant(text("b"))] },
      /prefilled/,
    ],
  ],
  "marks of the cache": [
    [
      "five of them",
      { system: ["a", "b", "c"].map((a) => marked(a)), messages: [user(marked("d"), marked("e"))] },
      /maximum of 4/,
    ],
    [
      "four and an automatic one",
      { system: ["a", "b", "c", "d"].map((a) => marked(a)), cache_control: ephemeral },
      /maximum of 4/,
    ],
    [
      "an automatic one of another ttl",
      { messages: [user(marked("a", "1h"))], cache_control: ephemeral },
      /another ttl/,
    ],
    [
      "an hour behind five minutes",
      { system: [marked("a")], messages: [user(marked("b", "1h"))] },
      /must not come after/,
    ],
    ["a ttl that does not exist", { messages: [user(marked("b", "2h"))] }, /'5m' or '1h'/],
    ["a type that does not exist", { messages: [user(text("b", { cache_control: { type: "kept" } }))] }, /'ephemeral'/],
    ["empty text", { messages: [user(marked(""))] }, /cache_control cannot be set for empty text/],
  ],
  parameters: [
    ["no max_tokens", { max_tokens: undefined }, /max_tokens: Field required/],
    ["negative max_tokens", { max_tokens: -1 }, /max_tokens/],
    ["more max_tokens than the model has", { model: "claude-small", max_tokens: 51 }, /51 > 50/],
    ["temperature", { temperature: 1 }, /temperature/],
    ["top_p", { top_p: 0.5 }, /top_p/],
    ["top_k", { top_k: 5 }, /top_k/],
    [
      "a forced tool where the model refuses",
      { model: "claude-sonnet-5-5", tools, tool_choice: { type: "any" } },
      /forcing a tool/,
    ],
    ["a forced tool that is not there", { tools, tool_choice: { type: "tool", name: "Write" } }, /'Write' not found/],
    ["two tools of one name", { tools: [...tools, ...tools] }, /must be unique/],
    ["a tool without a name", { tools: [{}] }, /tools\.0\.name/],
    [
      "thinking disabled where the model refuses",
      { model: "claude-opus-5-5", thinking: { type: "disabled" } },
      /'disabled' is not supported/,
    ],
    [
      "a prompt longer than the context",
      { model: "claude-small", max_tokens: 5, messages: [user(text("x".repeat(404)))] },
      /prompt is too long: 101 tokens > 100 maximum/,
    ],
  ],
  "a request for no tokens": [
    ["streamed", { max_tokens: 0, stream: true }, /cannot be streamed/],
    ["with thinking", { max_tokens: 0, thinking: { type: "enabled", budget_tokens: 1024 } }, /thinking enabled/],
    [
      "with structured output",
      { max_tokens: 0, output_config: { format: { type: "json_schema" } } },
      /structured output/,
    ],
    ["with a forced tool", { max_tokens: 0, tools, tool_choice: { type: "tool", name: "Read" } }, /forced tool/],
  ],
};

for (const [group, rows] of Object.entries(refused)) {
  describe(`refused with 400: ${group}`, () => {
    test.each(rows)("%s", async (_, change, message) => {
      const failed = await post(change).catch((thrown: unknown) => thrown);
      expect(failed).toBeInstanceOf(Anthropic.BadRequestError);
      expect(failed).toMatchObject({ type: "invalid_request_error", apiMessage: expect.stringMatching(message) });
    });
  });
}

describe("taken", () => {
  test.each([
    [
      "results first and text behind them",
      { messages: [user(text("a")), assistant(call("1"), call("2")), user(result("2"), result("1"), text("b"))] },
    ],
    [
      "results in two messages of the user, which are one",
      { messages: [user(text("a")), assistant(call("1"), call("2")), user(result("1")), user(result("2"))] },
    ],
    [
      "a system message with an effort and no words",
      { messages: [user(text("a")), { role: "system", content: [], output_config: { effort: "medium" } }] },
    ],
    ["a system message behind a user message", { messages: [user(text("a")), { role: "system", content: "b" }] }],
    [
      "four marks, the hours first",
      { system: [marked("a", "1h"), marked("b", "1h")], messages: [user(marked("c"), marked("d"))] },
    ],
    ["a dated model", { model: "claude-haiku-4-5-20251001" }],
  ])("%s", async (_, change) => {
    await expect(post(change)).resolves.toMatchObject({ type: "message" });
  });

  test("sampling parameters by clients of an older version of the API", async () => {
    await expect(post({ temperature: 1 }, { "anthropic-version": "2023-06-01" })).resolves.toMatchObject({
      type: "message",
    });
  });
});

describe("refused with another status", () => {
  test("a model that does not exist: 404", async () => {
    await expect(post({ model: "claude-none" })).rejects.toThrow(Anthropic.NotFoundError);
  });

  test("nobody who says who they are: 401", async () => {
    await expect(post({}, { "x-api-key": null, authorization: null })).rejects.toThrow(Anthropic.AuthenticationError);
  });

  test("no version: 400", async () => {
    await expect(post({}, { "anthropic-version": null })).rejects.toThrow(/anthropic-version/);
  });

  test("a body that is not JSON: 400", async () => {
    const headers = { "x-api-key": "key", "anthropic-version": "2026-10-21" };
    const response = await fetch(`${fake.url}/v1/messages`, { method: "POST", body: "{", headers });
    expect(response.status).toBe(400);
  });

  test("a body above 32 MB: 413", async () => {
    const body = Buffer.alloc(32 * 1024 * 1024 + 1, " ");
    const response = await fetch(`${fake.url}/v1/messages`, { method: "POST", body });
    expect([response.status, await response.json()]).toMatchObject([413, { error: { type: "request_too_large" } }]);
  });
});

test("a refused request takes no reply from the script", async () => {
  fake.push("kept");
  await expect(post({ messages: [] })).rejects.toThrow();
  await expect(post({})).resolves.toMatchObject({ content: [{ text: "kept" }] });
});
