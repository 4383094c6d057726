import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { type Cast, done, opened, stage, turn } from "../../test/sessions.ts";
import { attendHeadless } from "../attend.ts";
import type { Line } from "../model/scripted.ts";
import type { Session } from "../session.ts";

const task = (id: string, input: object = {}) =>
  toolUse(id, "Agent", { description: "look around", prompt: "task one", run_in_background: true, ...input });

/** A model whose agent answers only when it is let. */
function held(lines: readonly Line[], main: Cast[string] = [[task("t1")], done, done]) {
  let letGo = () => {};
  const free = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const cast: Cast = { "": main, "task one": lines };
  const scene = stage(cast);
  const model: typeof scene.deps.model = async function* (request, signal) {
    const isAgents = request.messages[0]?.blocks.some((block) => block.includes("task one"));
    if (isAgents)
      await Promise.race([free, new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))]);
    yield* scene.deps.model(request, signal);
  };
  return { ...scene, deps: { ...scene.deps, model }, letGo };
}

const settled = (session: Session) => Promise.all(session.jobs.all().map((job) => job.settled));

test("[ASYNC-01] [ASYNC-07] [ASYNC-11] a call in the background returns at once, and its caller goes on", async () => {
  const { deps, letGo } = held([[words("A report.")]]);
  const session = opened(deps);
  const { talk } = await turn(session, "go");
  expect(talk).toHaveLength(4);
  expect(talk[2]).toMatch(/works in the background.*agentId: a[0-9a-f]{16}.*output_file: /);
  expect(session.jobs.running()).toHaveLength(1);
  letGo();
  await settled(session);
});

test("[ASYNC-08] [NOTIF-05] [FAIL-10] its report comes as a notification in a turn of its own, and the first result stays", async () => {
  const { deps, letGo } = held([[words("A report.")]]);
  const session = opened(deps);
  const before = await turn(session, "go");
  letGo();
  await settled(session);
  const { talk } = await turn(session);
  expect(talk.slice(0, 4)).toEqual(before.talk);
  expect(talk[4]).toMatch(
    /<task-notification>.*<status>completed<\/status>.*Agent \\"look around\\" completed.*A report\./,
  );
});

test("[ASYNC-02] a definition that is for the background is never waited for", async () => {
  const { deps, define, letGo } = held(
    [[words("A report.")]],
    [[task("t1", { subagent_type: "watcher", run_in_background: false })], done],
  );
  define("watcher", { background: true });
  const session = opened(deps);
  expect((await turn(session, "go")).talk[2]).toContain("works in the background");
  letGo();
  await settled(session);
});

test("[ASYNC-09] [ASYNC-10] an interrupt of the main conversation leaves it alone, and TaskStop ends it", async () => {
  const { deps } = held([[words("never")]]);
  const session = opened(deps);
  await turn(session, "go");
  for await (const _ of session.run(AbortSignal.abort("user_interrupt")));
  const [job] = session.jobs.running();
  expect(job?.status()).toBe("running");
  await job?.stop();
  expect(job?.status()).toBe("killed");
});

test("[FAIL-11] who was stopped is reported as killed with what it had said, and who failed with why", async () => {
  const failure = { kind: "invalid", message: "no credit" } as const;
  const { deps, letGo } = held([failure]);
  const session = opened(deps);
  await turn(session, "go");
  letGo();
  await settled(session);
  expect((await turn(session)).talk[4]).toMatch(/<status>failed<\/status>.*failed: no credit/);
  const other = held([[words("never")]]);
  const stopped = opened(other.deps);
  await turn(stopped, "go");
  stopped.jobs.running()[0]?.abort("task_stop");
  await settled(stopped);
  expect((await turn(stopped)).talk[4]).toMatch(/<status>killed<\/status>.*was stopped/);
});

test("[NOTIF-04] [NOTIF-08] whoever was told of the end by TaskOutput is not notified as well", async () => {
  const scene = held([[words("A report.")]], (request, nth) =>
    nth === 0
      ? [task("t1")]
      : nth === 1
        ? [
            toolUse("t2", "TaskOutput", {
              task_id: /agentId: (a[0-9a-f]+)/.exec(JSON.stringify(request.messages))?.[1],
            }),
          ]
        : done,
  );
  const session = opened(scene.deps);
  scene.letGo();
  const { talk } = await turn(session, "go");
  await settled(session);
  expect(talk[4]).toMatch(/<status>completed<\/status>.*A report\./);
  expect(session.queue.waiting()).toEqual([]);
});

test("[SYNC-07] [SYNC-09] an agent that is waited for goes on in the background when it is sent there, and nothing starts again", async () => {
  const { deps, letGo, requestsOf } = held(
    [[words("A report.")]],
    [[task("t1", { run_in_background: false })], done, done],
  );
  const session = opened(deps);
  await session.submit("go");
  for await (const event of session.run())
    if (event.kind === "entry" && event.entry.kind === "called")
      setImmediate(() => session.jobs.running()[0]?.toBackground());
  letGo();
  await settled(session);
  const { talk } = await turn(session);
  expect(talk[2]).toContain("works in the background");
  expect(talk[4]).toContain("A report.");
  expect(requestsOf("task one")).toHaveLength(1);
});

test("[ASYNC-14] in the background a question to the person fails, and the agent goes on", async () => {
  const question = {
    question: "Which?",
    header: "Which",
    options: [
      { label: "a", description: "a" },
      { label: "b", description: "b" },
    ],
  };
  const scene = stage(
    {
      "": [[task("t1")], done, done],
      "task one": [[toolUse("u1", "AskUserQuestion", { questions: [question] })], [words("I took a.")]],
    },
    { askUser: async () => ({ "Which?": "b" }) },
  );
  const session = opened(scene.deps);
  await turn(session, "go");
  await settled(session);
  expect((await turn(session)).talk[4]).toContain("I took a.");
  expect(JSON.stringify(scene.requestsOf("task one")[1]?.messages)).toContain("Nobody can be asked here");
});

test("[QUEUE-13] in a pipe the end is reached when the agents in the background have been heard", async () => {
  const { deps, letGo } = held([[words("A report.")]]);
  const session = opened(deps);
  await session.submit("go");
  setTimeout(letGo, 5);
  const attending = attendHeadless({
    agent: session,
    signal: new AbortController().signal,
    runShell: async () => {},
    answerLate: async () => {},
    hasBackgroundWork: () => session.jobs.running().length > 0,
    backgroundChange: async () => void (await Promise.race(session.jobs.all().map((job) => job.settled))),
  });
  const ends = [];
  for await (const one of attending) if ("isOk" in one) ends.push(one);
  expect(ends).toHaveLength(2);
});
