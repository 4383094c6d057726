import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { words } from "../../test/entries.ts";
import { type FrozenRequest, freeze } from "../model/frozen.ts";
import type { Model, ModelEvent } from "../model/model.ts";
import { gated } from "./gate.ts";

/** A request of one prefix and words of its own, both marked. */
const requestOf = (own: string, shared = "shared"): FrozenRequest => ({
  key: { model: "m", betas: [] },
  tools: ['{"name":"a"}'],
  system: [freeze(words(shared))],
  messages: [{ role: "user", blocks: [freeze(words("both")), freeze(words(own))] }],
  marks: ["system", { message: 0, block: 0 }, { message: 0, block: 1 }],
  maxTokens: 1,
});

/**
 * A model whose calls begin and end when they are told to, behind a gate on a clock that stands
 * still.
 */
function stage() {
  const asked: string[] = [];
  const calls = new Map<string, (event: ModelEvent | undefined) => void>();
  let time = 0;
  const sleeps = new Set<() => void>();
  const model: Model = async function* ({ messages }) {
    const name = String(JSON.parse(messages[0]?.blocks[1] ?? "").text);
    asked.push(name);
    for (;;) {
      const event = await new Promise<ModelEvent | undefined>((resolve) => calls.set(name, resolve));
      if (!event) return;
      yield event;
    }
  };
  const gate = gated(model, {
    capMs: 1_000,
    warmMs: 100,
    now: () => time,
    sleep: (_, signal) =>
      new Promise((resolve) => {
        sleeps.add(resolve);
        signal.addEventListener("abort", () => resolve());
        if (signal.aborted) resolve();
      }),
  });
  return {
    asked,
    ask(
      own: string,
      { shared, signal = new AbortController().signal }: { shared?: string; signal?: AbortSignal } = {},
    ) {
      void (async () => {
        for await (const _ of gate(requestOf(own, shared), signal));
      })();
    },
    async send(name: string, event?: ModelEvent) {
      calls.get(name)?.(event);
      await setImmediate();
    },
    pass: (ms: number) => (time += ms),
    capReached: () => {
      for (const wake of sleeps) wake();
    },
    sleeps,
  };
}

const begun: ModelEvent = { kind: "begun" };

test("the first of several goes ahead, and the others go when its answer begins", async () => {
  const { ask, asked, send } = stage();
  for (const name of ["a", "b", "c"]) ask(name);
  await setImmediate();
  expect(asked).toEqual(["a"]);
  await send("a", begun);
  expect(asked).toEqual(["a", "b", "c"]);
});

test("whoever shares nothing does not wait", async () => {
  const { ask, asked } = stage();
  ask("a");
  ask("b", { shared: "another" });
  await setImmediate();
  expect(asked).toEqual(["a", "b"]);
});

test("what is known to be in the cache is not waited for, as long as it lives", async () => {
  const { ask, asked, send, pass } = stage();
  ask("a");
  await setImmediate();
  await send("a", begun);
  await send("a");
  pass(100);
  ask("a");
  ask("a");
  await setImmediate();
  expect(asked).toEqual(["a", "a", "a"]);
  pass(1);
  ask("a");
  ask("a");
  await setImmediate();
  expect(asked).toHaveLength(4);
});

test("who reads what is in the cache keeps it there", async () => {
  const { ask, asked, send, pass } = stage();
  for (const elapsed of [0, 80]) {
    pass(elapsed);
    ask("a");
    await setImmediate();
    await send("a", begun);
    await send("a");
  }
  pass(80);
  ask("a");
  ask("a");
  await setImmediate();
  expect(asked).toHaveLength(4);
});

test.each<[string, ModelEvent | undefined]>([
  ["fails", { kind: "failed", failure: { kind: "server", message: "" } }],
  ["ends without a word", undefined],
])(
  "where the first %s the next is the first, the others wait for that one, and nothing is taken for warm",
  async (_, event) => {
    const { ask, asked, send } = stage();
    for (const name of ["a", "b", "c", "d"]) ask(name);
    await setImmediate();
    await send("a", event);
    expect(asked).toEqual(["a", "b"]);
    await send("b", event);
    expect(asked).toEqual(["a", "b", "c"]);
    await send("c", begun);
    expect(asked).toEqual(["a", "b", "c", "d"]);
  },
);

test("one that was cancelled while it waited is not waited for", async () => {
  const { ask, asked, send } = stage();
  const abort = new AbortController();
  ask("a");
  ask("b", { signal: abort.signal });
  ask("c");
  abort.abort();
  await setImmediate();
  expect(asked).toEqual(["a", "b"]);
  await send("a");
  expect(asked).toEqual(["a", "b", "c"]);
});

test("an entry is known to live from the start of its request, however long the answer was in coming", async () => {
  const { ask, asked, send, pass } = stage();
  ask("a");
  await setImmediate();
  pass(101);
  await send("a", begun);
  for (const name of ["b", "c"]) ask(name);
  await setImmediate();
  expect(asked).toEqual(["a", "b"]);
});

test("nobody waits longer than the cap", async () => {
  const { ask, asked, capReached, sleeps } = stage();
  for (const name of ["a", "b"]) ask(name);
  await setImmediate();
  expect([asked, sleeps.size]).toEqual([["a"], 1]);
  capReached();
  await setImmediate();
  expect(asked).toEqual(["a", "b"]);
});

test("the cap holds for all that a request waits for, one after the other", async () => {
  const { ask, asked, send, capReached, sleeps } = stage();
  for (const name of ["a", "b", "c"]) ask(name);
  await setImmediate();
  await send("a");
  expect([asked, sleeps.size]).toEqual([["a", "b"], 2]);
  capReached();
  await setImmediate();
  expect(asked).toEqual(["a", "b", "c"]);
});

test("an abort ends the wait", async () => {
  const { ask, asked } = stage();
  const abort = new AbortController();
  ask("a");
  ask("b", { signal: abort.signal });
  await setImmediate();
  expect(asked).toEqual(["a"]);
  abort.abort();
  await setImmediate();
  expect(asked).toEqual(["a", "b"]);
});
