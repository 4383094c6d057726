import { expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { gone, pidIn } from "../../test/hooked.ts";
import { type Cast, done, opened, settled, stage, turn } from "../../test/sessions.ts";
import type { Line } from "../model/scripted.ts";
import { attendHeadless } from "../session/attend.ts";

const task = (id: string, input: object = {}) =>
  toolUse(id, "Agent", { description: "look around", prompt: "task one", run_in_background: true, ...input });

/** A model whose agent answers only when it is let. */
function held(
  lines: readonly Line[],
  main: Cast[string] = [[task("t1")], done, done],
  { word = "task one", cast: others = {}, ...over }: Parameters<typeof stage>[1] & { word?: string; cast?: Cast } = {},
) {
  let letGo = () => {};
  const free = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const cast: Cast = { "": main, [word]: lines, ...others };
  const scene = stage(cast, over);
  const model: typeof scene.deps.model = async function* (request, signal) {
    const isAgents = request.messages[0]?.blocks.some((block) => block.includes(word));
    if (isAgents)
      await Promise.race([free, new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))]);
    yield* scene.deps.model(request, signal);
  };
  return { ...scene, deps: { ...scene.deps, model }, letGo };
}

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

test("[SYNC-07] [SYNC-09] an agent that was waited for goes on in the background, where its caller's interrupt leaves it alone, and nothing starts again", async () => {
  const { deps, letGo, requestsOf } = held([[words("A report.")]], (_, nth) =>
    nth === 0 ? [task("t1", { run_in_background: false })] : done,
  );
  const session = opened(deps);
  await session.submit("go");
  const abort = new AbortController();
  for await (const event of session.run(abort.signal)) {
    if (event.kind !== "entry") continue;
    if (event.entry.kind === "called") setImmediate(() => session.jobs.running()[0]?.toBackground());
    if (event.entry.kind === "result") abort.abort("user_interrupt");
  }
  expect(session.jobs.running()).toHaveLength(1);
  letGo();
  await settled(session);
  const { talk } = await turn(session, "and?");
  expect(talk[2]).toContain("works in the background");
  expect(talk.join()).toMatch(/<status>completed<.*A report\./);
  expect(requestsOf("task one")).toHaveLength(1);
});

test("[LIM-01] as many agents work at once as may, and one more is refused with words", async () => {
  const { deps, letGo, requestsOf } = held(
    [done, done],
    [[task("t1")], [task("t2")], [task("t3", { prompt: "task two" })], done],
    { gates: { maxRunning: 2 }, cast: { "task two": [done] } },
  );
  const session = opened(deps);
  const { talk } = await turn(session, "go");
  expect(talk[6]).toContain("No agent was started: 2 agents work already");
  expect(requestsOf("task two")).toEqual([]);
  letGo();
  await settled(session);
});

test("in 2026-11 an agent ends when those have ended that it started itself, and hears them; its caller does not", async () => {
  const { deps, letGo, requestsOf } = held([[words("REPORT OF TWO")]], [[task("t1")], done, done], {
    revision: "2026-11",
    word: "task two",
    cast: { "task one": [[task("u1", { prompt: "task two" })], [words("I wait.")], [words("Two is done.")]] },
    onEvent: (event) =>
      void (
        event.agent &&
        event.kind === "entry" &&
        JSON.stringify(event.entry).includes("I wait.") &&
        setImmediate(letGo)
      ),
  });
  const session = opened(deps);
  await turn(session, "go");
  await settled(session);
  await settled(session);
  expect(JSON.stringify(requestsOf("task one")[2]?.messages)).toContain("REPORT OF TWO");
  const { talk } = await turn(session);
  expect(talk[4]).toContain("Two is done.");
  expect(talk.join()).not.toContain("REPORT OF TWO");
});

test("an agent that is stopped while it waits for those it started ends at once, and its caller hears them", async () => {
  const waits = { resolve: () => {} };
  const isWaiting = new Promise<void>((resolve) => {
    waits.resolve = resolve;
  });
  const { deps, letGo } = held([[words("REPORT OF TWO")]], [[task("t1")], done, done, done], {
    revision: "2026-11",
    word: "task two",
    cast: { "task one": [[task("u1", { prompt: "task two" })], [words("I wait.")]] },
    onEvent: (event) =>
      void (event.agent && event.kind === "entry" && event.entry.kind === "ended" && setImmediate(waits.resolve)),
  });
  const session = opened(deps);
  await turn(session, "go");
  await isWaiting;
  const [one, two] = session.jobs.all();
  await one?.stop();
  expect([one?.status(), two?.status()]).toEqual(["completed", "running"]);
  letGo();
  await settled(session);
  expect((await turn(session)).talk.join()).toContain("REPORT OF TWO");
});

test("[HOOK-06] what an agent leaves running ends with it: its shells, and the hooks of its definition", async () => {
  const leave = (name: string) => `echo $$ > ${name}; exec sleep 60`;
  const { deps, cwd, define, trust } = stage(
    {
      "": [[task("t1", { subagent_type: "runner", run_in_background: false })], done],
      "task one": [
        [toolUse("u1", "Bash", { command: leave("shell"), run_in_background: true })],
        [toolUse("u2", "Bash", { command: "until [ -s shell ] && [ -s hook ]; do sleep 0.01; done" })],
        done,
      ],
    },
    { mode: "bypassPermissions", isBypassAvailable: true },
  );
  const hook = { type: "command", command: leave("hook"), async: true };
  define("runner", { hooks: { PostToolUse: [{ hooks: [hook] }] } });
  trust();
  const session = opened(deps);
  await turn(session, "go");
  await settled(session);
  await Promise.all(["shell", "hook"].map((name) => gone(pidIn(cwd, name))));
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
    { choose: async () => ({ "Which?": "b" }) },
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
  const attending = attendHeadless({
    agent: session,
    signal: new AbortController().signal,
    hasBackgroundWork: () => session.jobs.running().length > 0,
    backgroundChange: async () => void (await Promise.race(session.jobs.all().map((job) => job.settled))),
  });
  const ends = [];
  for await (const one of attending) {
    if (!("isOk" in one)) continue;
    ends.push(one);
    letGo();
  }
  expect(ends).toHaveLength(2);
});
