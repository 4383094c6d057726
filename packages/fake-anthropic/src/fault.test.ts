import Anthropic from "@anthropic-ai/sdk";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fault, startFakeAnthropic, text } from "./index.ts";
import type { FakeAnthropic } from "./server.ts";

const ask = { model: "claude-opus-5", max_tokens: 1000, messages: [{ role: "user" as const, content: "hello" }] };

let fake: FakeAnthropic;
beforeEach(async () => {
  fake = await startFakeAnthropic({ replies: [] });
});
afterEach(() => fake.close());

const clientWith = (maxRetries: number) => new Anthropic({ baseURL: fake.url, apiKey: "key", maxRetries });
const finished = (maxRetries = 0) => clientWith(maxRetries).messages.stream(ask).finalMessage();

const classes = [
  ["overloaded", fault.overloaded(), Anthropic.InternalServerError, 529, "overloaded_error"],
  ["rate limit", fault.rateLimited(), Anthropic.RateLimitError, 429, "rate_limit_error"],
  ["internal", fault.internal(), Anthropic.InternalServerError, 500, "api_error"],
  ["timeout", fault.timeout(), Anthropic.InternalServerError, 504, "timeout_error"],
  ["billing", fault.status(402, "billing_error", "No credit"), Anthropic.APIError, 402, "billing_error"],
  ["forbidden", fault.status(403, "permission_error", "No"), Anthropic.PermissionDeniedError, 403, "permission_error"],
] as const;

test.each(classes)(
  "%s is the error that the client knows by its status and type",
  async (_, reply, error, status, type) => {
    fake.push(reply);
    const failed = await finished().catch((thrown: unknown) => thrown);
    expect(failed).toBeInstanceOf(error);
    expect(failed).toMatchObject({ status, type, requestID: "req_0001" });
  },
);

describe("retries of the client", () => {
  test("go on until an answer comes", async () => {
    const wait = { retryAfter: 0.001 };
    fake.push(fault.overloaded(wait), fault.rateLimited(wait), "at last");
    expect((await finished(2)).content).toMatchObject([{ text: "at last" }]);
    expect(fake.requests.map(({ status }) => status)).toEqual([529, 429, 200]);
  });

  test("rate-limited requests get a retry-after", async () => {
    fake.push(fault.rateLimited({ retryAfter: 30 }));
    const failed = await finished().catch((thrown: unknown) => thrown);
    expect((failed as InstanceType<typeof Anthropic.APIError>).headers?.get("retry-after")).toBe("30");
  });

  test("requests over a spend limit get its error code and no retry-after", async () => {
    fake.push(fault.spendLimit());
    const failed = await finished().catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({ status: 429, errorCode: "enforced_spend_limit_reached" });
    expect((failed as InstanceType<typeof Anthropic.APIError>).headers?.get("retry-after")).toBeNull();
  });

  test("can be forbidden by a header", async () => {
    fake.push(fault.overloaded({ headers: { "x-should-retry": "false" } }));
    await expect(finished(2)).rejects.toThrow(/Overloaded/);
    expect(fake.requests).toHaveLength(1);
  });

  test("follow a connection that was closed before the headers", async () => {
    fake.push(fault.dropped(), "at last");
    expect((await finished(1)).content).toMatchObject([{ text: "at last" }]);
    expect(await fake.requests[0]?.ended).toBe("dropped");
  });
});

test("the limits of an account are read from the headers of an answer", async () => {
  fake.push({ content: [text("hi")], headers: { "anthropic-ratelimit-requests-remaining": "3" } });
  const { response, request_id } = await clientWith(0).messages.create(ask).withResponse();
  expect(response.headers.get("anthropic-ratelimit-requests-remaining")).toBe("3");
  expect(request_id).toBe("req_0001");
});

describe("in the middle of a stream", () => {
  const long = "a text that is long enough for a number of deltas";
  const troubles = [
    ["a connection that is cut", fault.cut(long, 4), Anthropic.AnthropicError, "dropped"],
    ["a stream that ends early", fault.truncated(long, 4), Anthropic.AnthropicError, "answered"],
    ["an event that is not JSON", fault.malformed(long, 4), Error, "answered"],
    ["an error event", fault.errorEvent(long, 4), Anthropic.APIError, "answered"],
  ] as const;

  test.each(troubles)("%s fails after the text that came before it", async (_, reply, error, ending) => {
    fake.push(reply);
    const client = new Anthropic({ baseURL: fake.url, apiKey: "key", maxRetries: 0, logLevel: "off" });
    const stream = client.messages.stream(ask);
    let seen = "";
    stream.on("text", (delta) => {
      seen += delta;
    });
    await expect(stream.finalMessage()).rejects.toThrow(error);
    expect(seen).not.toBe("");
    expect(long.startsWith(seen) && seen !== long).toBe(true);
    expect(await fake.requests[0]?.ended).toBe(ending);
  });

  test("an error event tells its type", async () => {
    fake.push(fault.errorEvent(long, 2, "api_error", "Broken"));
    await expect(finished()).rejects.toMatchObject({ type: "api_error" });
  });
});

test.each([
  ["cut", fault.cut("text", 1), TypeError],
  ["truncated", fault.truncated("text", 1), TypeError],
  ["malformed", fault.malformed("text", 1), Error],
  ["errorEvent", fault.errorEvent("text", 1), Anthropic.InternalServerError],
] as const)("%s spoils an answer that is not streamed as well", async (_, reply, error) => {
  fake.push(reply);
  await expect(clientWith(0).messages.create(ask)).rejects.toThrow(error);
});

test("only an answer can go wrong in its middle", () => {
  expect(() => fault.cut(fault.dropped(), 1)).toThrow(/only an answer/);
});
