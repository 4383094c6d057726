import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { awaited, untilSeen } from "../../../../scripts/awaited.ts";
import { toolUse, words } from "../../test/entries.ts";
import { type Cast, done, opened, type StageDeps, settled, stage, talkIn, turn } from "../../test/sessions.ts";
import { gate } from "../../test/team.ts";
import { gatesOf } from "../agent/gates.ts";
import type { Tool } from "../loop/tool.ts";
import type { Session, SessionEvent } from "../session/session.ts";

const task = (id: string, input: object = {}) =>
  toolUse(id, "Agent", { description: id, prompt: "task one", run_in_background: false, ...input });
const free = { mode: "bypassPermissions", isBypassAvailable: true } as const;
/** What a screen shows of the agents that somebody waits for, by what it is told. */
function hints(events: readonly SessionEvent[]): readonly string[] {
  const shown = new Set<string>();
  for (const event of events) {
    if (event.kind !== "job" || event.caller !== undefined) continue;
    if (event.status === "running" && !event.isBackground) shown.add(event.agent.description);
    else shown.delete(event.agent.description);
  }
  return [...shown];
}
const statesIn = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => (event.kind === "job" ? [`${event.status}${event.isBackground ? ", behind" : ""}`] : []));

/** A session whose agents answer when they are let, and what its watchers are told. */
function start(
  main: Cast[string],
  says: Cast[string] = () => [words("A report.")],
  { cast, ...over }: StageDeps & { cast?: Cast } = {},
) {
  const events: SessionEvent[] = [];
  const scene = stage(
    { "": main, "task one": says, ...cast },
    { onEvent: (event) => void events.push(event), ...over },
  );
  const open = gate();
  const model: typeof scene.deps.model = async function* (request, signal) {
    const isAgents = JSON.stringify(request.messages[0]).includes("task one");
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    if (isAgents) await Promise.race([open.opened, aborted]);
    yield* scene.deps.model(request, signal);
  };
  scene.trust();
  const session = opened({ ...scene.deps, model });
  const working = (count: number) =>
    untilSeen(`${count} agents at work`, () => session.jobs.running().length === count && hints(events).length > 0);
  return { ...scene, session, events, working, letGo: open.open };
}

describe("who is sent to the background", () => {
  test("[SYNC-11] [SYNC-08] [UI-02] all agents that the conversation waits for are sent there at once, and go on as they are", async () => {
    const { session, events, working, letGo, requestsOf } = start([[task("t1"), task("t2")], done, done]);
    const over = awaited("the end of the turn", turn(session, "go"));
    await working(2);
    expect(hints(events)).toEqual(["t1", "t2"]);
    const before = session.jobs.running();
    expect(session.background()).toEqual(before);
    expect((await over).talk[2]).toMatch(/works in the background.*works in the background/);
    expect([hints(events), session.background(), session.jobs.running()]).toEqual([[], [], before]);
    letGo();
    await settled(session);
    expect((await turn(session)).talk.join().match(/<status>completed<.*?A report\./g)).toHaveLength(2);
    expect(requestsOf("task one")).toHaveLength(2);
    expect(statesIn(events)).toEqual([
      ...["running", "running", "running, behind", "running, behind"],
      ...["completed, behind", "completed, behind"],
    ]);
  });

  test("one that another agent waits for stays with it, and only the one above is sent", async () => {
    const cast = { "task two": [[task("u1")], [words("It says so.")]] };
    const { session, letGo } = start([[task("t1", { prompt: "task two" })], done, done], undefined, {
      revision: "2026-11",
      cast,
    });
    const over = awaited("the end of the turn", turn(session, "go"));
    await untilSeen("both at work", () => session.jobs.running().length === 2);
    expect(session.background().map(({ command }) => command)).toEqual(["t1"]);
    expect((await over).talk[2]).toContain("works in the background");
    const isBehind = () => session.jobs.all().map((job) => [job.command, job.isBackground()]);
    expect(isBehind()).toEqual([
      ["t1", true],
      ["u1", false],
    ]);
    letGo();
    await settled(session);
    const { talk } = await turn(session);
    expect(talk.join().match(/<task-notification>/g)).toHaveLength(1);
    expect(talk.join()).toContain("It says so.");
  });

  test.each([
    ["the environment disables work in the background", { environment: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" } }],
    ["a gate does", { gates: { isBackgroundDisabled: true } }],
  ])("[ASYNC-15] none where %s: each is waited for, whatever is asked", async (_, over) => {
    const { session, working, letGo } = start([[task("t1", { run_in_background: true })], done], undefined, {
      ...over,
      gates: { backgroundAfterMs: 0, ...("gates" in over ? over.gates : {}) },
    });
    const over_ = awaited("the end of the turn", turn(session, "go"));
    await working(1);
    expect(session.background()).toEqual([]);
    letGo();
    expect((await over_).talk[2]).toContain("A report.");
  });
});

describe("an agent that is waited for long", () => {
  /** Time passes when it is told to, for all that waits from here on. */
  function clock() {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
  }
  /** Resolves once it is waited for by the clock; in rounds, since no time passes. */
  async function timed({ jobs }: Session): Promise<void> {
    for (let round = 0; jobs.running().length === 0 || vi.getTimerCount() === 0; round++) {
      if (round > 10_000) throw new Error("nothing waits for the clock");
      await new Promise(setImmediate);
    }
  }

  test("[SYNC-10] [LIFE-02] goes on in the background after two minutes where CLAUDE_AUTO_BACKGROUND_TASKS is set, and not before", async () => {
    const environment = { CLAUDE_AUTO_BACKGROUND_TASKS: "1" };
    const { session, letGo, requestsOf } = start([[task("t1")], done, done], undefined, { environment });
    clock();
    const over = turn(session, "go");
    await timed(session);
    vi.advanceTimersByTime(119_999);
    for (let round = 0; round < 20; round++) await new Promise(setImmediate);
    expect(session.jobs.running().map((job) => job.isBackground())).toEqual([false]);
    vi.advanceTimersByTime(1);
    vi.useRealTimers();
    expect((await over).talk[2]).toContain("works in the background");
    letGo();
    await settled(session);
    expect((await turn(session)).talk.join()).toMatch(/<status>completed<.*A report\./);
    expect(requestsOf("task one")).toHaveLength(1);
  });

  test("is waited for on and on where nothing says otherwise", () => {
    for (const value of ["", "0", "no"])
      expect(gatesOf("2026-02", { CLAUDE_AUTO_BACKGROUND_TASKS: value }).backgroundAfterMs).toBeUndefined();
    const set = { CLAUDE_AUTO_BACKGROUND_TASKS: "true" };
    expect(gatesOf("2026-11", set, { backgroundAfterMs: 7 }).backgroundAfterMs).toBe(7);
  });

  test.each(["ends", "fails", "is stopped", "is sent away"])(
    "[FAIL-04] has no clock any more when it %s",
    async (how) => {
      const says = how === "fails" ? [{ kind: "invalid", message: "no credit" } as const] : [[words("A report.")]];
      const { session, letGo } = start([[task("t1")], done, done], says, { gates: { backgroundAfterMs: 60_000 } });
      clock();
      const over = turn(session, "go");
      await timed(session);
      const [job] = session.jobs.running();
      if (how === "is stopped") void job?.stop();
      else if (how === "is sent away") session.background();
      else letGo();
      await over;
      expect(vi.getTimerCount()).toBe(0);
      vi.useRealTimers();
      letGo();
      await settled(session);
    },
  );
});

describe("what is left of an agent that was waited for", () => {
  const failure = { kind: "invalid", message: "no credit" } as const;
  test.each([
    ["completed", [words("A report.")], "completed"],
    ["failed", failure, "failed"],
    ["stopped", [words("never")], "killed"],
    ["interrupted with its caller", [words("never")], "killed"],
  ] as const)(
    "[FAIL-03] [FAIL-05] [FAIL-06] one that was %s is no hint on a screen and no agent that is waited for, and its end is an event, once",
    async (how, says, status) => {
      const { session, events, working, letGo } = start([[task("t1")], done], [says]);
      const abort = new AbortController();
      await session.submit("go");
      const over = (async () => {
        for await (const _ of session.run(abort.signal));
      })();
      await working(1);
      const [job] = session.jobs.running();
      expect([hints(events), session.jobs.waitedFor(undefined)]).toEqual([["t1"], [job]]);
      if (how === "stopped") await job?.stop();
      else if (how.startsWith("interrupted")) abort.abort("user_interrupt");
      else letGo();
      await awaited("the end of the turn", over);
      await settled(session);
      expect([hints(events), session.jobs.waitedFor(undefined), session.background()]).toEqual([[], [], []]);
      expect(statesIn(events)).toEqual(["running", status]);
      expect(events.findLast(({ kind }) => kind === "job")).toMatchObject({
        agent: { id: job?.id, description: "t1" },
        call: "t1",
        outputFile: job?.outputFile,
      });
      job?.toBackground();
      expect([job?.isBackground(), statesIn(events).length]).toEqual([false, 2]);
    },
  );

  test("[FAIL-07] [FAIL-08] nothing of it stays in memory: neither what it knew and called, its skills with it, nor its journal", async () => {
    const seen: WeakRef<object>[] = [];
    const look: Tool = {
      definition: { name: "Look", description: "looks", input_schema: { type: "object" } },
      isReplayable: false,
      isConcurrent: () => false,
      async run(_, { agent }) {
        seen.push(new WeakRef(agent as object));
        return { content: [words("seen")] };
      },
    };
    const skill = { name: "attic", description: "about attics", text: async () => "Mind the beams." };
    const { session, letGo, requestsOf } = start(
      [[task("t1")], done, done],
      [[toolUse("u1", "Skill", { skill: "attic" })], [toolUse("u2", "Look")], [words("A report.")]],
      { tools: [look], skills: [skill], ...free } as StageDeps,
    );
    letGo();
    await turn(session, "go");
    await settled(session);
    expect(JSON.stringify(requestsOf("task one")[1]?.messages)).toContain("Mind the beams.");
    expect(talkIn(session).join()).not.toContain("Mind the beams.");
    requestsOf("task one");
    expect(seen).toHaveLength(1);
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    await untilSeen("what the agent was to be collected", () => {
      collect();
      return seen[0]?.deref() === undefined;
    });
  });
});
