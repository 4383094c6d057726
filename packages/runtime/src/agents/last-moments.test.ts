import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { toolUse, words } from "../../test/entries.ts";
import { placeAt } from "../../test/place.ts";
import { changed, done, opened, settled, stage, turn } from "../../test/sessions.ts";
import { noUsage } from "../jobs/job.ts";
import { createJobs } from "../jobs/jobs.ts";
import type { FrozenRequest } from "../model/frozen.ts";
import { createQueue } from "../queue.ts";

const task = (id: string, input: object = {}) =>
  toolUse(id, "Agent", { description: "look around", prompt: "task one", run_in_background: true, ...input });
const send = (id: string, to: unknown, message: string) => toolUse(id, "SendMessage", { to, message, summary: "more" });
const idIn = (request: FrozenRequest) => /agentId: (a[\w-]*[0-9a-f]{16})/.exec(JSON.stringify(request.messages))?.[1];
const isOf = ({ messages }: FrozenRequest, word: string) => JSON.stringify(messages[0]).includes(word);
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
function later() {
  let resolve = () => {};
  const promise = new Promise<void>((keep) => {
    resolve = keep;
  });
  return { promise, resolve };
}
const steps = async (count = 60) => {
  for (let at = 0; at < count; at++) await new Promise(setImmediate);
};

test("agents of one answer are counted too: no more of them start than may work at once", async () => {
  const free = later();
  const { deps } = stage(
    { "": [["t1", "t2", "t3"].map((id) => task(id)), done], "task one": () => done },
    { gates: { maxRunning: 2 } },
  );
  const model: typeof deps.model = async function* (request, signal) {
    if (isOf(request, "task one")) await Promise.race([free.promise, aborted(signal)]);
    yield* deps.model(request, signal);
  };
  const session = opened({ ...deps, model });
  const { talk } = await turn(session, "go");
  expect(session.jobs.all()).toHaveLength(2);
  expect(talk[2]).toContain("2 agents work already");
  free.resolve();
  await settled(session);
});

test("in 2026-11 an agent hears those it started also when they end before it does", async () => {
  const { deps } = stage(
    {
      "": [[task("t1", { run_in_background: false })], done],
      "task one": [[task("u1", { prompt: "task two" })], [words("I wait.")], [words("Two is done.")]],
      "task two": [[words("REPORT OF TWO")]],
    },
    { revision: "2026-11" },
  );
  const session = opened(deps);
  const { talk } = await turn(session, "go");
  expect(talk[2]).toContain("Two is done.");
  await settled(session);
  expect(session.queue.waiting()).toEqual([]);
});

test("an agent whose model fails goes on with what it was told meanwhile", async () => {
  const free = later();
  const { deps } = stage({
    "": (request, nth) => [[task("t1")], [send("t2", idIn(request), "once more")], done][nth] ?? done,
    "task one": [{ kind: "invalid", message: "no credit" }, [words("Now it works.")]],
  });
  const model: typeof deps.model = async function* (request, signal) {
    if (isOf(request, "task one")) await Promise.race([free.promise, aborted(signal)]);
    yield* deps.model(request, signal);
  };
  const session = opened({ ...deps, model });
  await turn(session, "go");
  free.resolve();
  await settled(session);
  expect(session.jobs.all().map((job) => job.end())).toMatchObject([{ status: "completed", text: "Now it works." }]);
});

test("of a job that has ended nothing stays in memory but its end", async () => {
  setFlagsFromString("--expose_gc");
  const gc = runInNewContext("gc") as () => void;
  const jobs = createJobs({ queue: createQueue({ newId: randomUUID }), revision: "2026-02", show: () => {} });
  const telling = { end: "a1/1", kept: () => {} };
  const begin = () => {
    const agent = { conversation: ["a report"] };
    const said = () => agent.conversation.join();
    jobs.start({
      id: "a1",
      description: "d",
      outputFile: "/o",
      isBackground: true,
      waiter: new AbortController().signal,
      run: async () => ({ status: "completed", text: said(), usage: noUsage }),
      output: said,
      tidy: async () => (said() === "" ? { worktree: { worktreePath: "/" } } : {}),
      telling,
    });
    return new WeakRef(agent);
  };
  const agent = begin();
  await jobs.find("a1")?.settled;
  await new Promise(setImmediate);
  gc();
  expect(agent.deref()).toBe(undefined);
  expect(jobs.find("a1")?.output()).toBe("a report");
});

test("a message while an agent is tidied up, and one of its last moment, set it to work once", async () => {
  const [free, tidied] = [later(), later()];
  const opens: string[] = [];
  const scene = stage({
    "": (request, nth) =>
      [
        [task("t1", { isolation: "worktree" })],
        [send("s1", idIn(request), "first")],
        done,
        [send("s2", idIn(request), "second")],
      ][nth] ?? done,
    "task one": () => [words("Both.")],
  });
  let isFirst = true;
  const model: typeof scene.deps.model = async function* (request, signal) {
    if (isOf(request, "task one") && isFirst) {
      isFirst = false;
      await free.promise;
      throw new Error("bad luck");
    }
    yield* scene.deps.model(request, signal);
  };
  const open = async (name: string) => {
    opens.push(name);
    const path = join(scene.home, name);
    mkdirSync(path, { recursive: true });
    return placeAt(path, { leave: () => tidied.promise.then(() => ({ isChanged: false })) });
  };
  const session = opened(changed(scene.deps, { model, workspaces: { open } }));
  await turn(session, "go");
  const [job] = session.jobs.all();
  free.resolve();
  await job?.ended;
  const second = turn(session, "again");
  await steps();
  tidied.resolve();
  await second;
  await steps();
  await untilSeen("the end of all agents", () => settled(session).then(() => session.jobs.running().length === 0));
  expect(opens).toHaveLength(2);
});

test("an agent that goes on keeps the effort of its definition, also for those it starts", async () => {
  const { deps, define, requestsOf } = stage(
    {
      "": (request, nth) =>
        [[task("t1", { subagent_type: "thinker", run_in_background: false })], [send("s1", idIn(request), "go on")]][
          nth
        ] ?? done,
      "task one": [done, [task("u1", { prompt: "task two", run_in_background: false })], done],
      "task two": [done],
    },
    { revision: "2026-11" },
  );
  define("thinker", { effort: "high" });
  const session = opened(deps);
  await turn(session, "go");
  await settled(session);
  expect(requestsOf("task two")[0]?.key.effort).toBe("high");
});

test("where the model of a call does not count, it does not count later either", async () => {
  const { deps, requestsOf } = stage(
    {
      "": (request, nth) => [[task("t1", { model: "opus" })], done, [send("s1", idIn(request), "go on")]][nth] ?? done,
      "task one": [done, [task("u1", { prompt: "task two", run_in_background: false })], done],
      "task two": [done],
    },
    { revision: "2026-11", gates: { isCoordinator: true } },
  );
  const session = opened(deps);
  await turn(session, "go");
  await settled(session);
  await turn(session, "again");
  await settled(session);
  expect([requestsOf("task one")[0]?.key.model, requestsOf("task two")[0]?.key.model]).toEqual(["m", "m"]);
});

test("an agent with a directory of its own goes on there", async () => {
  const { deps, cwd, requestsOf } = stage(
    {
      "": (request, nth) =>
        [[task("t1", { cwd: "sub", run_in_background: false })], [send("s1", idIn(request), "go on")]][nth] ?? done,
      "task one": [done, [toolUse("g1", "Glob", { pattern: "*.txt" })], done],
    },
    { gates: { isCwdEnabled: true } },
  );
  mkdirSync(join(cwd, "sub"));
  (await import("node:fs")).writeFileSync(join(cwd, "sub/here.txt"), "");
  const session = opened(deps);
  await turn(session, "go");
  await settled(session);
  expect(JSON.stringify(requestsOf("task one").at(-1)?.messages)).toContain("here.txt");
});
