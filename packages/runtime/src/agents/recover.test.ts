import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toolUse, words } from "../../test/entries.ts";
import { killedHere } from "../../test/killed.ts";
import { type Cast, done, opened, type StageDeps, settled, stage, turn } from "../../test/sessions.ts";
import type { FrozenRequest } from "../model/frozen.ts";
import type { Session } from "../session/session.ts";

const revisions = ["2026-02", "2026-11"] as const;
const task = (id: string, input: object = {}) =>
  toolUse(id, "Agent", { description: "look around", prompt: "task one", run_in_background: true, ...input });
const look = (id: string) => toolUse(id, "Glob", { pattern: "*" });
const free = { mode: "bypassPermissions", isBypassAvailable: true } as const;
const said = (request: FrozenRequest | undefined) => JSON.stringify(request?.messages);
const directoryOf = ({ transcript }: Session) => join(transcript.replace(/\.jsonl$/, ""), "subagents");
/** The ids of the agents whose ends a conversation was told, once for each time. */
const endsIn = (talk: readonly string[]) =>
  [...talk.join().matchAll(/<task-id>(.*?)<\/task-id>.*?<status>(\w+)<\/status>/g)].map(([, id, status]) => [
    id,
    status,
  ]);

/**
 * A session whose process is killed when one of its agents, by its word in the cast, makes its nth
 * request; `next` opens it again.
 */
async function killedAt(word: string, nth: number, cast: Cast, deps: StageDeps = {}) {
  let kill: (() => void) | undefined;
  const scripts = Object.entries(cast).map(([name, script]) => [
    name,
    (request: FrozenRequest, at: number) => {
      if (name === word && at === nth) kill ??= killedHere(scene.deps.machine.root);
      return typeof script === "function" ? script(request, at) : (script[at] ?? done);
    },
  ]);
  const scene = stage(Object.fromEntries(scripts), { sessionId: "s1", ...deps });
  const first = opened(scene.deps);
  await turn(first, "go");
  await settled(first);
  await first.close();
  const before = scene.requestsOf("task one").length;
  if (!kill) throw new Error(`${word} made no request ${nth}`);
  kill();
  return { ...scene, before, next: () => opened(scene.deps) };
}

test.each(revisions)(
  "[ATP-SUB-006] in %s an agent in the background whose process is killed goes on by itself, and its end is told once, whatever is opened after it",
  async (revision) => {
    const effect = toolUse("u1", "Bash", { command: "echo done >> effects" });
    const { cwd, before, next, requestsOf } = await killedAt(
      "task one",
      1,
      {
        "": [[task("t1", { name: "scout" })]],
        "task one": (_, nth) => [[effect], [words("lost")], [words("The attic is empty.")]][nth] ?? done,
      },
      { revision, ...free },
    );
    const second = next();
    await turn(second);
    await settled(second);
    expect(requestsOf("task one").length).toBe(before + 1);
    expect(said(requestsOf("task one").at(-1))).toContain('"tool_use_id\\":\\"u1');
    expect(readFileSync(join(cwd, "effects"), "utf8")).toBe("done\n");
    const { talk } = await turn(second);
    const [job] = second.jobs.all();
    expect(endsIn(talk)).toEqual([[job?.id, "completed"]]);
    expect(talk.join()).toMatch(/<tool-use-id>t1<.*The attic is empty\..*<tool_uses>1</);
    expect(second.jobs.find("scout")).toBe(job);
    await second.close();
    // As if it had been killed before it could say so beside the transcript.
    const path = join(directoryOf(second), `agent-${job?.id}.meta.json`);
    const { told, ...facts } = JSON.parse(readFileSync(path, "utf8"));
    expect(told).toBe(1);
    writeFileSync(path, JSON.stringify(facts));
    const third = next();
    expect(endsIn((await turn(third, "again")).talk)).toHaveLength(1);
    expect(third.jobs.all()).toEqual([]);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ told: 1 });
  },
);

test("[NOTIF-04] an agent that had ended when its process was killed is not asked again, and its end is told once", async () => {
  const { before, next, requestsOf } = await killedAt("", 1, {
    "": (_, nth) => (nth === 0 ? [task("t1", { run_in_background: false }), task("t2")] : done),
    "task one": [[words("The attic is empty.")], [words("The attic is empty.")]],
  });
  const second = next();
  await turn(second);
  await settled(second);
  const { talk } = await turn(second, "again");
  expect(requestsOf("task one").length).toBe(before);
  const ends = endsIn(talk);
  expect(ends.map(([, status]) => status)).toEqual(["completed"]);
  expect(talk.join().match(/The attic is empty/g)).toHaveLength(2);
  await second.close();
  expect(endsIn((await turn(next(), "again")).talk)).toEqual(ends);
});

test("an agent that was killed before its task stood in its journal begins with it, and its hooks with it", async () => {
  const starts = { SubagentStart: [{ hooks: [{ type: "command", command: "echo began >> starts; sleep 0.2" }] }] };
  const { deps, cwd, trust, requestsOf } = stage(
    { "": [[task("t1")], done, done, done], "task one": [[words("The attic is empty.")]] },
    { sessionId: "s1", settings: { hooks: starts } },
  );
  trust();
  let kill = () => {};
  const model: typeof deps.model = async function* (request, signal) {
    if (request.messages.length === 3) kill = killedHere(deps.machine.root);
    yield* deps.model(request, signal);
  };
  const first = opened({ ...deps, model });
  await turn(first, "go");
  await first.close();
  expect(requestsOf("task one")).toEqual([]);
  kill();
  const second = opened(deps);
  await turn(second);
  await settled(second);
  expect(said(requestsOf("task one")[0])).toContain("task one");
  expect(readFileSync(join(cwd, "starts"), "utf8")).toMatch(/^(began\n)+$/);
  expect((await turn(second)).talk.join()).toContain("The attic is empty.");
});

test.each([
  ["a gate", { gates: { isRecovering: false } }],
  ["the environment", { environment: { TROUPE_DISABLE_RECOVERY: "1" } }],
])(
  "where %s says that agents do not go on by themselves, it is told once that one was cut off, and how it goes on",
  async (_, over) => {
    const { before, next, requestsOf } = await killedAt(
      "task one",
      1,
      { "": (_, nth) => (nth === 0 ? [task("t1")] : done), "task one": (_, nth) => (nth === 0 ? [look("u1")] : done) },
      over,
    );
    for (const words of ["again", "and again"]) {
      const session = next();
      await turn(session, words);
      await settled(session);
      const { talk } = await turn(session);
      expect(endsIn(talk).map(([, status]) => status)).toEqual(["killed"]);
      expect(talk.join()).toMatch(
        /"look around\\" was cut off when its process ended; to resume it, send a message to a/,
      );
      await session.close();
    }
    expect(requestsOf("task one").length).toBe(before);
  },
);

test("[RES-09] an agent that was waited for when the process was killed does not go on by itself: its call has one result, which stays as it is, and its end is told once", async () => {
  const { before, next, requestsOf, deps } = await killedAt("task one", 1, {
    "": (_, nth) => (nth === 0 ? [task("t1", { run_in_background: false })] : done),
    "task one": (_, nth) => (nth === 0 ? [words("First I look."), look("u1")] : done),
  });
  const resultsIn = ({ transcript }: Session) =>
    readFileSync(transcript, "utf8")
      .split("\n")
      .filter((line) => line.includes('"tool_result"'));
  const second = next();
  await turn(second);
  await settled(second);
  const { talk } = await turn(second);
  const results = resultsIn(second);
  expect(results).toHaveLength(1);
  expect(results[0]).toContain("it is unknown whether it took effect");
  expect(endsIn(talk).map(([, status]) => status)).toEqual(["killed"]);
  expect(talk.join()).toContain("First I look.");
  await second.close();
  const third = opened(deps);
  expect(endsIn((await turn(third, "again")).talk)).toHaveLength(1);
  expect(resultsIn(third)).toEqual(results);
  expect(requestsOf("task one").length).toBe(before);
});

test("an end that TaskOutput told stands with its result, and no later process tells it again", async () => {
  const output = (request: FrozenRequest) =>
    toolUse("t2", "TaskOutput", { task_id: /agentId: (a[0-9a-f]{16})/.exec(said(request))?.[1], block: true });
  const { next } = await killedAt("", 2, {
    "": (request, nth) => [[task("t1")], [output(request)]][nth] ?? done,
    "task one": [[words("The attic is empty.")]],
  });
  const second = next();
  for (const name of readdirSync(directoryOf(second)).filter((one) => one.endsWith(".meta.json"))) {
    const path = join(directoryOf(second), name);
    const { told, ...facts } = JSON.parse(readFileSync(path, "utf8"));
    expect(told).toBe(1);
    writeFileSync(path, JSON.stringify(facts));
  }
  await turn(second, "again");
  await settled(second);
  const { talk } = await turn(second, "and again");
  expect(endsIn(talk)).toEqual([]);
  expect(talk.join()).toContain("<status>completed</status>");
});

test("in 2026-11 an agent goes on with those it waits for, and each hears those it started", async () => {
  const { next } = await killedAt(
    "task two",
    1,
    {
      "": (_, nth) => (nth === 0 ? [task("t1")] : done),
      "task one": (request, nth) =>
        nth === 0
          ? [task("u1", { prompt: "task two" })]
          : [words(`I heard: ${said(request).match(/REPORT/g)?.length}`)],
      "task two": (_, nth) => (nth % 2 === 0 ? [look("v1")] : [words("REPORT")]),
    },
    { revision: "2026-11" },
  );
  const second = next();
  await turn(second);
  await settled(second);
  const { talk } = await turn(second);
  expect(endsIn(talk).map(([, status]) => status)).toEqual(["completed"]);
  expect(talk.join()).toContain("I heard: 1");
  expect(second.jobs.all().map((job) => job.end()?.text)).toEqual(["REPORT", "I heard: 1"]);
});

test("the agents of a session that was closed are told as stopped when it is opened again, and do not go on", async () => {
  let began = () => {};
  const isAtWork = new Promise<void>((resolve) => {
    began = resolve;
  });
  const { deps } = stage({ "": [[task("t1")], done, done, done] }, { sessionId: "s1" });
  const model: typeof deps.model = async function* (request, signal) {
    if (!said(request).includes("task one") || request.messages.length > 1) return yield* deps.model(request, signal);
    began();
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  };
  const first = opened({ ...deps, model });
  await turn(first, "go");
  await isAtWork;
  await first.close();
  const second = opened(deps);
  await turn(second);
  await settled(second);
  const { talk } = await turn(second);
  expect(endsIn(talk).map(([, status]) => status)).toEqual(["killed"]);
  expect(talk.join()).toMatch(/was stopped when its session was closed; to resume it, send a message to a/);
});

describe("who cannot go on", () => {
  const cast: Cast = {
    "": (_, nth) => (nth === 0 ? [task("t1", { subagent_type: "scout" })] : done),
    "task one": (_, nth) => (nth === 0 ? [words("First I look."), look("u1")] : done),
  };
  const cutOff = async (change: (cwd: string) => void) => {
    const scene = stage(cast, { sessionId: "s1" });
    let kill = () => {};
    scene.define("scout", {});
    const model: typeof scene.deps.model = async function* (request, signal) {
      if (said(request).includes("u1")) kill = killedHere(scene.deps.machine.root);
      yield* scene.deps.model(request, signal);
    };
    const first = opened({ ...scene.deps, model });
    await turn(first, "go");
    await settled(first);
    await first.close();
    kill();
    change(scene.cwd);
    const session = opened(scene.deps);
    await turn(session);
    await settled(session);
    return (await turn(session)).talk.join();
  };

  test("an agent whose definition is gone is told as killed, with what it had said and why", async () => {
    const talk = await cutOff((cwd) => rmSync(join(cwd, ".claude/agents/scout.md")));
    expect(talk).toMatch(
      /was cut off when its process ended and cannot go on: the definition of scout no longer exists/,
    );
    expect(talk).toContain("First I look.");
  });

  test("[PERM-02] an agent whose type has been denied meanwhile stays as it is", async () => {
    const settings = { permissions: { deny: ["Agent(scout)"] } };
    const talk = await cutOff((cwd) => writeFileSync(join(cwd, ".claude/settings.json"), JSON.stringify(settings)));
    expect(talk).toMatch(/was cut off when its process ended and cannot go on: .*denied by the rule Agent\(scout\)/);
    expect(talk).toContain("First I look.");
  });
});
