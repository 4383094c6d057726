import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { human, play, rehearse } from "../../test/rehearsal.ts";
import { scratch } from "../../test/scratch.ts";
import { adds, begin, closes, type Events, lineOf, opens, ping, send, serve, start, stop } from "../../test/streams.ts";
import type { ModelEvent } from "./model.ts";
import type { Patience } from "./silence.ts";

const text = { type: "text", text: "" };
const says = adds({ type: "text_delta", text: "all of it" });
const whole: Events = [start, opens(text), says, closes(), ...stop()];

/** Sends pings until the connection is closed, and says when that was. */
const pings = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const more = setInterval(() => response.write(lineOf(ping)), 5);
    response.once("close", () => {
      clearInterval(more);
      resolve();
    });
  });

const endless = 2 ** 30;
const patience: Patience = { beginMs: endless, silentMs: endless, contentMs: endless };

const silences: readonly (readonly [string, Partial<Patience>, (response: ServerResponse) => unknown, RegExp])[] = [
  ["says nothing at all", { beginMs: 30 }, () => {}, /started no answer for 0\.03 s/],
  [
    "sends its headers and nothing more",
    { beginMs: 30 },
    (response) => begin(response, []),
    /started no answer for 0\.03 s/,
  ],
  [
    "begins an answer and says nothing more",
    { silentMs: 30 },
    (response) => begin(response, whole.slice(0, 3)),
    /sent nothing more, not even a ping, for 0\.03 s/,
  ],
  ["sends a ping first and nothing more", { silentMs: 30 }, (response) => begin(response, [ping]), /sent nothing more/],
  [
    "sends nothing but pings",
    { contentMs: 30 },
    (response) => {
      begin(response, whole.slice(0, 3));
      void pings(response);
    },
    /sent nothing but pings for 0\.03 s/,
  ],
];

test.each(silences)(
  "a server that %s is left, and the call has failed like one whose connection broke",
  async (_, limits, answer, words) => {
    let closed = Promise.resolve();
    const api = await serve((response) => {
      closed = new Promise((resolve) => response.once("close", () => resolve()));
      answer(response);
    });
    const model = api.modelWith({ ...patience, ...limits });
    const rehearsal = rehearse({ path: join(scratch(), "s.jsonl"), model, inbox: [human("i1")] });
    const { terminal } = await play(rehearsal);
    expect(terminal).toMatchObject({
      why: "model_error",
      failure: { kind: "network", message: expect.stringMatching(words) },
    });
    expect(rehearsal.requests.length, "it was asked again as after any failure that passes").toBe(4);
    await closed;
  },
);

test("an answer that comes at the second try is the answer", async () => {
  const api = await serve((response, nth) => (nth === 0 ? begin(response, whole.slice(0, 3)) : send(response, whole)));
  const rehearsal = rehearse({
    path: join(scratch(), "s.jsonl"),
    model: api.modelWith({ ...patience, silentMs: 30 }),
    inbox: [human("i1")],
  });
  expect((await play(rehearsal)).terminal).toMatchObject({ isOk: true, text: "all of it" });
});

test("pings keep a call alive that has nothing to say yet", async () => {
  const api = await serve((response) => {
    begin(response, whole.slice(0, 3));
    let left = 40;
    const more = setInterval(() => {
      response.write(lineOf(ping));
      left -= 1;
      if (left > 0) return;
      clearInterval(more);
      for (const event of whole.slice(3)) response.write(lineOf(event));
      response.end();
    }, 5);
  });
  const rehearsal = rehearse({
    path: join(scratch(), "s.jsonl"),
    model: api.modelWith({ ...patience, silentMs: 100 }),
    inbox: [human("i1")],
  });
  expect((await play(rehearsal)).terminal).toMatchObject({ isOk: true });
});

test("an answer that is whole is one, though the server leaves its stream open or breaks it", async () => {
  const api = await serve((response, nth) => {
    begin(response, whole);
    if (nth === 1) response.write("event: error\ndata: {}\n\n", () => response.destroy());
  });
  for (const name of ["open", "broken"]) {
    const rehearsal = rehearse({
      path: join(scratch(), `${name}.jsonl`),
      model: api.modelWith(patience),
      inbox: [human("i1")],
    });
    expect((await play(rehearsal)).terminal, name).toMatchObject({ isOk: true, text: "all of it" });
  }
});

test("a call that was cancelled while its server was silent was cancelled, and not given up", async () => {
  const abort = new AbortController();
  const api = await serve((response) => {
    begin(response, whole.slice(0, 3));
  });
  const told: ModelEvent[] = [];
  const request = { key: { model: "m", betas: [] }, tools: [], system: [], messages: [], marks: [], maxTokens: 1 };
  for await (const event of api.modelWith(patience)(request, abort.signal)) {
    told.push(event);
    if (event.kind === "piece") abort.abort();
  }
  expect(told.at(-1)).toMatchObject({ kind: "failed", failure: { kind: "aborted" } });
});
