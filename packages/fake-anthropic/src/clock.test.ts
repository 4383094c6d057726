import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import { createVirtualClock, fault, realClock, startFakeAnthropic } from "./index.ts";

describe("a virtual clock", () => {
  test("wakes who is due, the earliest first, and leaves the others waiting", async () => {
    const clock = createVirtualClock(1000);
    const woken: number[] = [];
    for (const ms of [30, 20, 10]) void clock.wait(ms).then(() => woken.push(ms));
    clock.advance(20);
    await clock.wait(0);
    expect([clock.now(), woken, clock.waiting]).toEqual([1020, [10, 20], 1]);
  });

  test("waits for nobody whose signal is aborted", async () => {
    const clock = createVirtualClock();
    const leaving = new AbortController();
    const waits = [clock.wait(10, leaving.signal), clock.wait(10, AbortSignal.abort("early"))];
    leaving.abort("late");
    expect(await Promise.allSettled(waits)).toMatchObject([{ reason: "late" }, { reason: "early" }]);
    expect(clock.waiting).toBe(0);
  });
});

test("the real clock ends a wait that is aborted", async () => {
  await expect(realClock.wait(1_000_000, AbortSignal.abort())).rejects.toThrow(/abort/i);
});

test("a slow answer brings its next event when the clock is advanced, and not before", async () => {
  const clock = createVirtualClock();
  const fake = await startFakeAnthropic({ clock, replies: [fault.slow("hi", 1000)] });
  const client = new Anthropic({ baseURL: fake.url, apiKey: "key", maxRetries: 0 });
  const ask = { model: "claude-opus-5", max_tokens: 9, messages: [{ role: "user" as const, content: "x" }] };
  const seen: string[] = [];
  for await (const event of await client.messages.create({ ...ask, stream: true })) {
    seen.push(`${event.type} ${clock.now()}`);
    // The client hands out no ping: its turn passes unseen.
    const events = { message_stop: 0, content_block_start: 2 }[String(event.type)] ?? 1;
    for (let n = 0; n < events; n++) {
      await clock.waited(1);
      clock.advance(1000);
    }
  }
  await fake.close();
  expect(seen).toEqual([
    "message_start 0",
    "content_block_start 1000",
    "content_block_delta 3000",
    "content_block_stop 4000",
    "message_delta 5000",
    "message_stop 6000",
  ]);
});
