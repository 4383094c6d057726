import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { words } from "../../test/entries.ts";
import { prefix, talkOf } from "../../test/rehearsal.ts";
import { scratch } from "../../test/scratch.ts";
import { type Conversation, openConversation } from "../agent/conversation.ts";
import { conversationOf } from "../journal/state.ts";
import { scriptedModel } from "../model/scripted.ts";
import { type CommandDraft, textBlocks } from "../queue.ts";
import { attendHeadless, attendInteractive, type Headless, type Interactive } from "./attend.ts";

const agentOf = (onAsked: (agent: Conversation, nth: number) => void = () => {}): Conversation => {
  const agent = openConversation({
    transcript: join(scratch(), "s.jsonl"),
    key: prefix.key,
    system: () => [words("You are thorough.")],
    model: scriptedModel((_, nth) => {
      onAsked(agent, nth);
      return [words(`answer ${nth + 1}`)];
    }),
  });
  return agent;
};

const heardBy = ({ journal }: Conversation) =>
  talkOf(conversationOf(journal.state())).map(({ content }) => content.map((block) => block.text).join("|"));

async function headless(agent: Conversation, more: Partial<Headless> = {}, onAnswer = (_: number) => {}) {
  const deps = {
    agent,
    signal: new AbortController().signal,
    hasBackgroundWork: () => false,
    backgroundChange: () => new Promise<void>(() => {}),
    ...more,
  };
  const ended: string[] = [];
  for await (const event of attendHeadless(deps)) if ("isOk" in event) onAnswer(ended.push(event.text));
  return ended;
}

describe("in a pipe", () => {
  test("with nothing to do it is over", async () => {
    expect(await headless(agentOf())).toEqual([]);
  });

  test("[QUEUE-13] what waits is drained between the turns", async () => {
    const agent = agentOf();
    agent.tell("go");
    const tellMore = (nth: number) => void (nth < 3 && agent.tell(`more ${nth}`));
    expect(await headless(agent, {}, tellMore)).toEqual(["answer 1", "answer 2", "answer 3"]);
    expect(heardBy(agent)).toEqual(["go", "answer 1", "more 1", "answer 2", "more 2", "answer 3"]);
  });

  test("[QUEUE-13] [QUEUE-15] it goes on waiting while jobs run in the background, and hears of their end as a user's words", async () => {
    const agent = agentOf();
    let jobs = 2;
    let change = () => {};
    let isWaiting = () => {};
    const waits = () => new Promise<void>((resolve) => (isWaiting = resolve));
    agent.tell("go");
    const firstWait = waits();
    const over = headless(agent, {
      hasBackgroundWork: () => jobs > 0,
      backgroundChange: () => {
        isWaiting();
        return new Promise((resolve) => (change = resolve));
      },
    });
    await firstWait;
    const secondWait = waits();
    jobs -= 1;
    change();
    await secondWait;
    jobs -= 1;
    agent.queue.notify({
      mode: "task-notification",
      origin: { kind: "task-notification", task: "a1" },
      content: textBlocks("a1 is done"),
    });
    expect(await over).toEqual(["answer 1", "answer 2"]);
    expect(heardBy(agent)).toEqual(["go", "answer 1", "a1 is done", "answer 2"]);
    expect(conversationOf(agent.journal.state())[2]?.role).toBe("user");
  });

  test("the signal ends the wait", async () => {
    const abort = new AbortController();
    const over = headless(agentOf(), { signal: abort.signal, hasBackgroundWork: () => true });
    await setImmediate();
    abort.abort();
    expect(await over).toEqual([]);
  });
});

describe("at a terminal", () => {
  /** Attends until the agent has given so many answers. */
  async function attended(
    agent: Conversation,
    answers: number,
    more: Partial<Interactive> = {},
    onAnswer = (_: number) => {},
  ) {
    const abort = new AbortController();
    const ended: string[] = [];
    for await (const event of attendInteractive({
      agent,
      signal: abort.signal,
      uiFree: async () => {},
      ...more,
    })) {
      if (!("isOk" in event)) continue;
      onAnswer(ended.push(event.text));
      if (ended.length === answers) abort.abort();
    }
    return ended;
  }

  test("[QUEUE-12] whenever the agent is idle, the next of what waits begins a turn", async () => {
    const agent = agentOf();
    agent.tell("one");
    const tellMore = (nth: number) => void setTimeout(() => nth === 1 && agent.tell("two"));
    expect(await attended(agent, 2, {}, tellMore)).toEqual(["answer 1", "answer 2"]);
  });

  test("[QUEUE-12] nothing begins while something on the screen takes the keyboard", async () => {
    const agent = agentOf();
    const [waits, frees]: [number[], (() => void)[]] = [[], []];
    agent.tell("one");
    const over = attended(agent, 1, {
      uiFree: () => {
        waits.push(agent.queue.waiting().length);
        return new Promise((resolve) => frees.push(resolve));
      },
    });
    for (let tick = 0; tick < 20; tick += 1) await setImmediate();
    expect([waits, heardBy(agent)]).toEqual([[1], []]);
    frees[0]?.();
    expect(await over).toEqual(["answer 1"]);
  });
});

test.each<[string, CommandDraft]>([
  [
    "[QUEUE-05] a remote agent that ended",
    { mode: "task-notification", origin: { kind: "task-notification", task: "r1" }, content: textBlocks("ended") },
  ],
  [
    "[QUEUE-06] a scheduled prompt",
    { mode: "prompt", origin: { kind: "scheduled", task: "daily" }, content: textBlocks("ended") },
  ],
  [
    "[QUEUE-07] what a channel pushes",
    { mode: "prompt", origin: { kind: "channel", server: "chrome" }, content: textBlocks("ended") },
  ],
  [
    "[QUEUE-08] a stop hook that objects when the turn is over",
    { mode: "task-notification", origin: { kind: "hook", event: "Stop" }, content: textBlocks("ended") },
  ],
])("%s wakes an idle agent with a turn of its own", async (_, draft) => {
  const agent = agentOf();
  agent.tell("go");
  let isWorking = true;
  const heard = headless(agent, {
    hasBackgroundWork: () => isWorking,
    backgroundChange: async (signal) => {
      isWorking = false;
      agent.queue.notify(draft);
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    },
  });
  expect(await heard).toEqual(["answer 1", "answer 2"]);
  expect(heardBy(agent)).toEqual(["go", "answer 1", "ended", "answer 2"]);
});

test("a person interrupts one turn, and the next goes on from there", async () => {
  let turn = new AbortController();
  const session = new AbortController();
  const agent = agentOf((_, nth) => nth === 0 && turn.abort("user_interrupt"));
  agent.tell("go");
  const ended: string[] = [];
  const attendance: Interactive = {
    agent,
    signal: session.signal,
    uiFree: async () => {},
    turnSignal: () => {
      turn = new AbortController();
      return AbortSignal.any([session.signal, turn.signal]);
    },
  };
  for await (const event of attendInteractive(attendance)) {
    if (!("isOk" in event)) continue;
    ended.push(event.why);
    if (ended.length === 1) agent.tell("and now?");
    else session.abort();
  }
  expect(ended).toEqual(["aborted", "completed"]);
  expect(heardBy(agent)).toEqual(["go|and now?", "answer 2"]);
});
