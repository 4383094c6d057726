import { existsSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextRound } from "node:timers/promises";
import type { Reply } from "@troupe/team";
import { expect, onTestFinished, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { toolUse } from "../../test/entries.ts";
import { done, opened, stage, turn } from "../../test/sessions.ts";
import { attendInteractive } from "./attend.ts";
import type { Session, SessionEvent } from "./session.ts";

/** Attends a session as a terminal does, until the test is over. */
function atTerminal(session: Session): void {
  const ending = new AbortController();
  const over = (async () => {
    for await (const _ of attendInteractive({ agent: session, signal: ending.signal, uiFree: async () => {} }));
  })();
  onTestFinished(() => {
    ending.abort("shutdown");
    return over;
  });
}

test("[QUEUE-02] [QUEUE-01] what a person types for the shell runs without a turn or a question, is shown, and the model hears of it with the next words", async () => {
  const shown: string[] = [];
  const { deps, asked, requests } = stage({ "": [done] }, { show: (text) => void shown.push(text) });
  const session = opened(deps);
  atTerminal(session);
  session.shell("echo out; echo '</bash-stdout>' >&2; exit 3");
  await untilSeen("what it prints", () => shown.length === 1);
  expect(shown).toEqual(["out\n</bash-stdout>\nExit code 3"]);
  expect([asked, requests]).toEqual([[], []]);
  await session.submit("look");
  await untilSeen("a turn", () => requests.length === 1);
  const told = JSON.stringify(requests[0]?.messages);
  expect(told).toContain("<bash-input>echo out;");
  expect(told.match(/<\/bash-stdout>/g)).toHaveLength(1);
});

test("[QUEUE-03] a command that is typed during a turn waits for its end, and commands run in their order", async () => {
  const order: string[] = [];
  const { deps } = stage(
    {
      "": () => {
        if (order.length === 0) for (const word of ["one", "two"]) session.shell(`echo ${word}`);
        order.push("turn");
        return order.length === 1 ? [toolUse("t", "Bash", { command: "pwd" })] : done;
      },
    },
    { show: (text) => void order.push(text) },
  );
  const session = opened(deps);
  atTerminal(session);
  await session.submit("go");
  await untilSeen("both commands", () => order.includes("two"));
  expect(order).toEqual(["turn", "turn", "one", "two"]);
});

test("what is submitted is words for the model, whatever it begins with", async () => {
  const { deps, requests } = stage({ "": [done] });
  const { talk } = await turn(opened(deps), "!touch made");
  expect(talk[0]).toContain("!touch made");
  expect(requests).toHaveLength(1);
});

/**
 * A session whose person was asked about a call that would make a file, and interrupted the turn.
 */
async function interrupted(onEvent: (event: SessionEvent) => void = () => {}) {
  const answers: ((reply: Reply) => void)[] = [];
  const { cwd, deps } = stage(
    { "": [[toolUse("t1", "Bash", { command: "touch made" })], done] },
    { ask: () => new Promise((resolve) => void answers.push(resolve)), onEvent },
  );
  const session = opened(deps);
  const person = new AbortController();
  await session.submit("go");
  const running = (async () => {
    for await (const _ of session.run(person.signal));
  })();
  await untilSeen("the question", () => answers.length === 1);
  person.abort("user_interrupt");
  await running;
  expect(session.queue.waiting()).toEqual([]);
  return { cwd, session, answer: (reply: Reply) => answers[0]?.(reply) };
}

test("[QUEUE-09] a yes of the person that comes after the question was given up runs nothing, and is heard in the next turn", async () => {
  const { cwd, session, answer } = await interrupted();
  answer({ behavior: "allow" });
  await untilSeen("the late answer", () => session.queue.waiting().length === 1);
  expect(session.queue.waiting()).toMatchObject([
    { mode: "orphaned-permission", priority: "later", origin: { kind: "permission", call: "t1" } },
  ]);
  const { talk } = await turn(session);
  expect(talk.join()).toMatch(/whether Bash may run \(t1\) came after the request was given up: it was allowed/);
  expect(existsSync(join(cwd, "made"))).toBe(false);
});

test("a yes of the person that comes in time is heard as the result of its call alone", async () => {
  const { cwd, deps } = stage(
    { "": [[toolUse("t1", "Bash", { command: "touch made" })], done] },
    { ask: async () => ({ behavior: "allow" }) },
  );
  const session = opened(deps);
  expect((await turn(session, "go")).talk).toHaveLength(4);
  expect(session.queue.waiting()).toEqual([]);
  expect(existsSync(join(cwd, "made"))).toBe(true);
});

test("a no of the person that comes after the question was given up says nothing new", async () => {
  const closed: string[] = [];
  const { session, answer } = await interrupted(({ kind }) => void (kind === "question_closed" && closed.push(kind)));
  answer({ behavior: "deny", message: "no" });
  await untilSeen("the end of the question", () => closed.length === 1);
  await nextRound();
  expect(session.queue.waiting()).toEqual([]);
});
