import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { awaited, untilSeen } from "../../../../scripts/awaited.ts";
import { openScreen } from "./screen.ts";
import type { Effect } from "./state.ts";
import { emptyTalk } from "./talk.ts";

/** A screen on streams in the place of a terminal, at a time long after any key. */
function onStreams(isSpoken = false) {
  const input = Object.assign(new PassThrough(), { isRaw: false, setRawMode: (is: boolean) => (input.isRaw = is) });
  const output = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
  let written = "";
  output.on("data", (text) => {
    written += text;
  });
  const effects: Effect[] = [];
  let now = 1_000_000;
  const look = { hasColor: false, isSpoken, shorten: (text: string) => text };
  const screen = openScreen({
    input,
    output,
    look,
    now: () => (now += 5_000),
    onEffect: (effect) => effects.push(effect),
  });
  let isClosed = false;
  const close = () => {
    if (!isClosed) screen.close();
    isClosed = true;
  };
  onTestFinished(close);
  return { input, output, screen, effects, close, written: () => written, clear: () => (written = "") };
}

const question = { about: ["Shall it?"], choices: [{ label: "Yes" }, { label: "No" }], dismissing: "stops" };
const never = new AbortController().signal;

test("[QUEUE-12] while a question has the keyboard no turn may begin; the answer sets it free", async () => {
  const { screen, input } = onStreams();
  await screen.free(never);
  const answer = screen.ask(question, never);
  const order: string[] = [];
  const free = screen.free(never).then(() => order.push("free"));
  void answer.then(() => order.push("answered"));
  await new Promise(setImmediate);
  expect(order).toEqual([]);
  input.write("2");
  expect(await awaited("the answer", answer)).toEqual({ chosen: [1], words: "" });
  await awaited("a free screen", free);
  expect(order.toSorted()).toEqual(["answered", "free"]);
});

test("a question that is taken back goes, and the next one is on the screen", async () => {
  const { screen, input } = onStreams();
  const over = new AbortController();
  const first = screen.ask(question, over.signal);
  const second = screen.ask({ ...question, about: ["And that?"] }, never);
  over.abort();
  expect(await awaited("the first", first)).toBeUndefined();
  input.write("1");
  expect(await awaited("the second", second)).toEqual({ chosen: [0], words: "" });
  expect(await screen.ask(question, over.signal)).toBeUndefined();
});

test("what comes in one round is drawn once, and keys come out as what the person wants", async () => {
  const { screen, input, effects, written, clear } = onStreams();
  await untilSeen("the prompt", () => written().includes("Ask, or type"));
  clear();
  for (const text of ["one", "two", "three"]) screen.dispatch({ kind: "said", text });
  await untilSeen("the last", () => written().includes("three"));
  expect(written().split("\x1b[?2026h")).toHaveLength(2);
  input.write("hello\r");
  await untilSeen("the effect", () => effects.length > 0);
  expect(effects).toEqual([{ do: "submit", text: "hello" }]);
});

test("another session of the screen begins below the one before it", async () => {
  const { screen, written } = onStreams();
  for (const text of ["first", "second"]) {
    const talk = { ...emptyTalk, items: [{ kind: "notice", text } as const] };
    screen.dispatch({ kind: "opened", talk, history: [], commands: [], agents: [], models: [] });
    await untilSeen(text, () => written().includes(text));
  }
  expect(written()).toMatch(/first[\s\S]*\r\n\x1b\[2K\r\n\x1b\[2K· second|first[\s\S]*\x1b\[2K\r\n\x1b\[2K· second/);
});

test("the terminal is given back as it was, and nothing is written afterwards", async () => {
  const { screen, input, written, close } = onStreams();
  await untilSeen("the prompt", () => written().includes("Ask, or type"));
  expect([input.isRaw, written().includes("\x1b[?2004h")]).toEqual([true, true]);
  close();
  const all = written();
  expect([input.isRaw, all.endsWith("\x1b[?2004l\x1b[?25h")]).toEqual([false, true]);
  screen.dispatch({ kind: "said", text: "too late" });
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(written()).toBe(all);
});
