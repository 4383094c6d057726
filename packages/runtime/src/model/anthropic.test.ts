import { setImmediate } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import {
  cutToolUse,
  type FakeAnthropicOptions,
  fault,
  type Reply,
  startFakeAnthropic,
  text,
  thinking,
  toolUse,
} from "@troupe/fake-anthropic";
import { describe, expect, onTestFinished, test } from "vitest";
import { anthropicModel } from "./anthropic.ts";
import { bytesOf, type FrozenMessage, type FrozenRequest, freeze } from "./frozen.ts";
import type { Answer, ModelEvent, ModelFailure } from "./model.ts";

const now = new Date("2026-11-18T12:00:00Z");

async function start(replies: readonly Reply[], more: FakeAnthropicOptions = {}) {
  const fake = await startFakeAnthropic({ replies, ...more });
  onTestFinished(() => fake.close());
  const client = new Anthropic({ baseURL: fake.url, apiKey: "any", maxRetries: 5, logLevel: "off" });
  return { fake, model: anthropicModel({ client, now: () => now }) };
}

const user = (...blocks: readonly object[]): FrozenMessage => ({
  role: "user",
  blocks: blocks.map((block) => freeze({ ...block })),
});
const request: FrozenRequest = {
  key: { model: "claude-opus-5-5", betas: [] },
  tools: [freeze({ name: "Look", description: "é \u2028", input_schema: { type: "object" } })],
  system: [freeze({ ...text("You are thorough.") })],
  messages: [user(text("go"))],
  marks: ["system", { message: 0, block: 0 }],
  maxTokens: 500,
};
const after = (answer: Answer, ...blocks: readonly object[]): FrozenRequest => ({
  ...request,
  messages: [...request.messages, { role: "assistant", blocks: answer.content.map(freeze) }, user(...blocks)],
});

async function eventsOf(stream: AsyncIterable<ModelEvent>) {
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

async function asked(reply: Reply, sent = request) {
  const { fake, model } = await start([reply]);
  const events = await eventsOf(model(sent, new AbortController().signal));
  return { fake, events, end: events.at(-1) };
}

const answerIn = (end: ModelEvent | undefined): Answer => {
  if (end?.kind !== "answered") throw new Error(JSON.stringify(end));
  return end.answer;
};
const failureIn = (end: ModelEvent | undefined): ModelFailure => {
  if (end?.kind !== "failed") throw new Error(JSON.stringify(end));
  return end.failure;
};

describe("a request", () => {
  test("a request is sent as the bytes that it was frozen to, with the key in its body and the betas in a header", async () => {
    const key = {
      model: "claude-opus-4-8",
      betas: ["one-2026-01-01", "two-2026-01-01"],
      effort: "low",
      thinking: { type: "adaptive" },
      toolChoice: { type: "auto", disable_parallel_tool_use: true },
    };
    const sent = { ...request, key, messages: [user(text("\ud800 é 😀"), { type: "text", text: "2", "10": 1 })] };
    const { fake } = await asked("ok", sent);
    expect(fake.requests[0]?.body.toString()).toBe(bytesOf(sent));
    expect(fake.requests[0]?.json).toMatchObject({
      model: key.model,
      output_config: { effort: "low" },
      thinking: key.thinking,
      tool_choice: key.toolChoice,
      max_tokens: 500,
      stream: true,
    });
    expect(fake.requests[0]?.headers["anthropic-beta"]).toBe("one-2026-01-01,two-2026-01-01");
    expect(fake.requests[0]?.headers["content-type"]).toBe("application/json");
  });
  test("names no betas where there are none", async () => {
    expect((await asked("ok")).fake.requests[0]?.headers["anthropic-beta"]).toBeUndefined();
  });
});

describe("an answer", () => {
  test("an answer comes in pieces and then whole, with what it cost", async () => {
    const { events, fake } = await asked([thinking("Shall I?"), text("I look at both of them now.")]);
    expect(events[0]).toEqual({ kind: "begun" });
    const piecesOf = (of: string) =>
      events.flatMap((event) => (event.kind === "piece" && event.of === of ? [event.text] : []));
    expect(piecesOf("thinking").join("")).toBe("Shall I?");
    expect(piecesOf("text").length).toBeGreaterThan(1);
    expect(piecesOf("text").join("")).toBe("I look at both of them now.");
    const { usage, stopReason, model } = answerIn(events.at(-1));
    const { input_tokens, output_tokens } = fake.requests[0]?.usage ?? {};
    expect([usage.input, usage.output, stopReason, model]).toEqual([
      input_tokens,
      output_tokens,
      "end_turn",
      "claude-opus-5-5",
    ]);
  });

  test("an answer with thinking and several calls is accepted again as it came, byte for byte, and its end is read from the cache", async () => {
    const long = `think ${'\u2028é😀\\ " '.repeat(600)}`;
    const { fake, model } = await start([
      [
        thinking(long),
        text("both"),
        toolUse("Look", { b: [1, { z: 1, a: "é" }], a: null }, "t1"),
        toolUse("Look", {}, "t2"),
      ],
      "done",
    ]);
    const signal = new AbortController().signal;
    const answer = answerIn((await eventsOf(model(request, signal))).at(-1));
    expect(answer.stopReason).toBe("tool_use");
    expect(answer.content).toMatchObject([
      { type: "thinking", thinking: long },
      text("both"),
      { input: { b: [1, { z: 1, a: "é" }], a: null } },
      { input: {} },
    ]);
    const results = ["t1", "t2"].map((tool_use_id) => ({ type: "tool_result", tool_use_id, content: [] }));
    const next = { ...after(answer, ...results), marks: ["system" as const, { message: 1, block: 3 }] };
    expect(answerIn((await eventsOf(model(next, signal))).at(-1)).content).toEqual([text("done")]);
    expect(fake.requests[1]?.body.toString()).toBe(bytesOf(next));
    expect(answer.content[0]).toMatchObject({ signature: expect.stringMatching(/./) });
    const changed = { ...next, messages: [user(text("went")), ...next.messages.slice(1)] };
    fake.push("unreachable");
    expect(failureIn((await eventsOf(model(changed, signal))).at(-1))).toMatchObject({ kind: "invalid", status: 400 });
  });

  test("an answer tells what was read from the cache and what was written to it", async () => {
    const { fake, model } = await start(["one", "two"]);
    const sent = { ...request, system: [freeze({ ...text("Be thorough. ".repeat(500)) })] };
    const usages = [];
    for (let nth = 0; nth < 2; nth += 1)
      usages.push(answerIn((await eventsOf(model(sent, new AbortController().signal))).at(-1)).usage);
    expect(usages[0]?.cacheWrite5m).toBeGreaterThan(1_000);
    expect(usages[1]?.cacheRead).toBe(usages[0]?.cacheWrite5m);
    expect(fake.requests).toHaveLength(2);
  });

  test.each([
    "end_turn",
    "max_tokens",
    "stop_sequence",
    "pause_turn",
    "refusal",
    "model_context_window_exceeded",
    "not_yet_known",
  ])("says why it stopped: %s", async (stopReason) => {
    const { end } = await asked({ content: [text("so")], stopReason });
    expect(answerIn(end)).toMatchObject({ stopReason, content: [text("so")] });
  });

  test("an answer whose call was cut says so, and the call has no input that anybody could take for one", async () => {
    const { end } = await asked({ content: [cutToolUse("Look", '{"path": "/etc/pa', "t1")], stopReason: "max_tokens" });
    expect(answerIn(end)).toMatchObject({
      stopReason: "max_tokens",
      content: [{ type: "tool_use", id: "t1", input: {} }],
    });
  });

  test("an answer that is empty is an answer", async () => {
    expect(answerIn((await asked({ content: [], stopReason: "end_turn" })).end).content).toEqual([]);
  });
});

const inAnHour = new Date(now.getTime() + 3_600_000).toUTCString();
const refusals: readonly (readonly [title: string, reply: Reply, failure: Partial<ModelFailure>])[] = [
  [
    "429, in seconds",
    fault.rateLimited({ retryAfter: 1.5 }),
    { kind: "rate_limited", status: 429, retryAfterMs: 1_500 },
  ],
  [
    "429, in milliseconds",
    fault.rateLimited({ retryAfter: 9, headers: { "retry-after-ms": "40" } }),
    { kind: "rate_limited", retryAfterMs: 40 },
  ],
  [
    "429, with a date",
    fault.rateLimited({ headers: { "retry-after": inAnHour } }),
    { kind: "rate_limited", retryAfterMs: 3_600_000 },
  ],
  ["spend limit", fault.spendLimit(), { kind: "spend_limited", status: 429 }],
  ["529", fault.overloaded(), { kind: "overloaded", status: 529 }],
  ["500", fault.internal(), { kind: "server", status: 500 }],
  ["504", fault.timeout(), { kind: "server", status: 504 }],
  ["401", fault.status(401, "authentication_error", "invalid key"), { kind: "unauthorized", status: 401 }],
  ["403", fault.status(403, "permission_error", "no"), { kind: "unauthorized", status: 403 }],
  ["402", fault.status(402, "billing_error", "no"), { kind: "spend_limited", status: 402 }],
  ["400", fault.status(400, "invalid_request_error", "max_tokens: Field required"), { kind: "invalid", status: 400 }],
  [
    "too long",
    fault.status(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    { kind: "overflow", status: 400 },
  ],
  [
    "too large",
    fault.status(413, "request_too_large", "Request exceeds the maximum size"),
    { kind: "overflow", status: 413 },
  ],
  [
    "a failure that the API says will stay",
    fault.internal({ headers: { "x-should-retry": "false" } }),
    { kind: "invalid", status: 500 },
  ],
  [
    "a bad key, not to be retried",
    fault.status(401, "authentication_error", "no", { headers: { "x-should-retry": "false" } }),
    { kind: "unauthorized" },
  ],
  ["no headers at all", fault.dropped(), { kind: "network" }],
];

describe("a refused request is one failure, and the SDK does not try again", () => {
  test.each(refusals)("%s", async (_, reply, failure) => {
    const { fake, events } = await asked(reply);
    expect(events).toMatchObject([{ kind: "failed", failure }]);
    expect(failureIn(events[0]).retryAfterMs).toBe(failure.retryAfterMs);
    expect(fake.requests).toHaveLength(1);
  });
  test("a server that is not there is named with its address", async () => {
    const { fake, model } = await start([]);
    await fake.close();
    const [end] = await eventsOf(model(request, new AbortController().signal));
    expect(failureIn(end).kind).toBe("network");
    expect(failureIn(end).message).toContain(new URL(fake.url).host);
  });
  test("a failure carries the id of the request", async () => {
    expect(failureIn((await asked(fault.internal())).end).requestId).toMatch(/^req_/);
  });
});

const whole = [thinking("hm"), text("a first part and a second part"), toolUse("Look", { a: 1 }, "t1")];
describe.each([1, 4, 9, 14])(
  "a stream that goes wrong after %i events is a failure, and nothing of it is kept",
  (at) => {
    test.each([
      ["cut", fault.cut(whole, at), "network"],
      ["ended early", fault.truncated(whole, at), "network"],
      ["not JSON", fault.malformed(whole, at), "network"],
      ["an error event", fault.errorEvent(whole, at), "overloaded"],
      ["another error event", fault.errorEvent(whole, at, "api_error", "Internal server error"), "server"],
    ] as const)("%s", async (_, reply, kind) => {
      const { events, fake } = await asked(reply);
      expect(events.filter(({ kind }) => kind === "answered" || kind === "failed")).toMatchObject([
        { kind: "failed", failure: { kind } },
      ]);
      expect(events.at(-1)?.kind).toBe("failed");
      expect(fake.requests).toHaveLength(1);
    });
  },
);

describe("a call that is not wanted any more closes its connection", () => {
  test("by its signal, in the middle of the stream", async () => {
    const { fake, model } = await start([fault.stalled(whole, 4)]);
    const abort = new AbortController();
    const events: ModelEvent[] = [];
    for await (const event of model(request, abort.signal)) {
      events.push(event);
      if (event.kind === "piece") abort.abort();
    }
    expect(failureIn(events.at(-1)).kind).toBe("aborted");
    expect(await fake.requests[0]?.ended).toBe("closed");
    expect(fake.requests[0]?.isClosedEarly).toBe(true);
  });
  test("by its signal, before anything came", async () => {
    const { fake, model } = await start(["late"], { timeToFirstToken: 60_000 });
    const abort = new AbortController();
    const asking = eventsOf(model(request, abort.signal));
    await fake.received(1);
    abort.abort();
    expect(failureIn((await asking).at(-1)).kind).toBe("aborted");
    expect(await fake.requests[0]?.ended).toBe("closed");
  });
  test("by its signal, before it was sent: nothing is sent", async () => {
    const { fake, model } = await start(["never"]);
    expect(failureIn((await eventsOf(model(request, AbortSignal.abort()))).at(-1)).kind).toBe("aborted");
    await setImmediate();
    expect(fake.requests).toHaveLength(0);
  });
  test("by a reader who leaves", async () => {
    const { fake, model } = await start([fault.stalled(whole, 4)]);
    for await (const event of model(request, new AbortController().signal)) if (event.kind === "piece") break;
    expect(await fake.requests[0]?.ended).toBe("closed");
  });
});
