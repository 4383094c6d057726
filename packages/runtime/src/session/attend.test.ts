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
import { type Attendance, attendHeadless, attendInteractive, type Headless, type Interactive } from "./attend.ts";

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

const idle: Omit<Attendance, "agent" | "signal"> = { runShell: async () => {}, answerLate: async () => {} };

async function headless(agent: Conversation, more: Partial<Headless> = {}) {
  const deps = {
    agent,
    signal: new AbortController().signal,
    hasBackgroundWork: () => false,
    backgroundChange: () => new Promise<void>(() => {}),
    ...idle,
    ...more,
  };
  const ended = [];
  for await (const event of attendHeadless(deps)) if ("isOk" in event) ended.push(event.text);
  return ended;
}

describe("in a pipe", () => {
  test("with nothing to do it is over", async () => {
    expect(await headless(agentOf())).toEqual([]);
  });

  test("[QUEUE-13] what waits is drained between the turns", async () => {
    const agent = agentOf((agent, nth) => {
      if (nth < 2) agent.tell(`more ${nth}`, { priority: "later", mode: nth === 0 ? "bash" : "prompt" });
    });
    agent.tell("go");
    expect(await headless(agent, { runShell: async ({ content }) => agent.tell(`$ ${content[0]?.["text"]}`) })).toEqual(
      ["answer 1", "answer 3"],
    );
    expect(heardBy(agent)).toEqual(["go", "answer 1", "$ more 0", "answer 2", "more 1", "answer 3"]);
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
      ...idle,
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

  test("[QUEUE-02] a shell command is run and not asked, and what it prints is told", async () => {
    const agent = agentOf();
    agent.tell("ls", { mode: "bash" });
    expect(await attended(agent, 1, { runShell: async () => agent.tell("<bash-stdout>a.txt</bash-stdout>") })).toEqual([
      "answer 1",
    ]);
    expect(heardBy(agent)[0]).toBe("<bash-stdout>a.txt</bash-stdout>");
  });

  test("[QUEUE-09] an answer to a permission that came too late is dealt with as such, one by one and before the next turn", async () => {
    const agent = agentOf();
    const late: unknown[] = [];
    for (const call of ["t1", "t2"])
      agent.queue.enqueue({ mode: "orphaned-permission", origin: { kind: "permission", call }, content: [] });
    agent.tell("go");
    await attended(agent, 1, {
      answerLate: async ({ origin }) => void late.push([origin, agent.journal.state().turns]),
    });
    expect(late[0]).toEqual([{ kind: "permission", call: "t1" }, 0]);
    expect(heardBy(agent)).toEqual(["go", "answer 1"]);
    expect(agent.queue.waiting()).toHaveLength(1);
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
    ...idle,
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
