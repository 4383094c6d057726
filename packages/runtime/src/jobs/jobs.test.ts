import { describe, expect, test } from "vitest";
import { awaited } from "../../../../scripts/awaited.ts";
import type { CommandDraft } from "../queue.ts";
import { type Job, type JobEnd, type JobStart, noUsage, type Remains } from "./job.ts";
import { createJobs } from "./jobs.ts";

const never = new AbortController().signal;
/** A promise and the way to keep it. */
function later<Value>() {
  let [resolve, reject] = [(_: Value) => {}, (_: Error) => {}];
  const promise = new Promise<Value>((keep, fail) => {
    [resolve, reject] = [keep, fail];
  });
  return { promise, resolve, reject };
}

/** Resolves once it has ended and its waiters have been told. */
const endOf = (job: Job | undefined) => awaited(`the end of ${job?.id}`, Promise.resolve(job?.settled));

function stage() {
  const notices: { text: string; agent: string | undefined }[] = [];
  const shown: string[] = [];
  const kept: string[] = [];
  const notify = ({ priority = "later", ...draft }: CommandDraft) => {
    notices.push({ text: draft.content.map(({ text }) => text).join(), agent: draft.agent });
    return { priority, ...draft, id: "" };
  };
  const show = (message: string) => void shown.push(message);
  const jobs = createJobs({ queue: { notify, waiting: () => [] }, revision: "2026-02", show });
  /** A job that runs until its signal fires, or it is told how it ends. */
  function start(id: string, over: Partial<JobStart> = {}) {
    const { promise, resolve, reject } = later<JobEnd>();
    const reasons: unknown[] = [];
    const run = (signal: AbortSignal) => {
      const stop = () => {
        reasons.push(signal.reason);
        resolve({ status: "killed", text: "so far", usage: noUsage });
      };
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      return promise;
    };
    const job = jobs.start({
      id,
      description: `job ${id}`,
      outputFile: `/out/${id}`,
      isBackground: true,
      waiter: never,
      run,
      output: () => "so far",
      tidy: async () => ({}),
      telling: { end: `${id}/1`, kept: () => void kept.push(id) },
      ...over,
    });
    const done = (end: Partial<JobEnd> = {}) =>
      resolve({ status: "completed", text: "a report", usage: noUsage, ...end });
    return { job, done, fail: reject, reasons };
  }
  return { jobs, start, notices, shown, kept };
}

test("a job whose end nobody has been told is not settled, though it does not run any more", async () => {
  const { jobs, start, notices } = stage();
  const tidied = later<Remains>();
  const { job, done } = start("a1", { tidy: () => tidied.promise });
  done();
  await awaited("its end", job.ended);
  expect([jobs.running(), jobs.unsettled(), notices]).toEqual([[], [job], []]);
  tidied.resolve({});
  await endOf(job);
  expect([jobs.unsettled(), notices.length]).toEqual([[], 1]);
});

describe("whoever waits for a job", () => {
  test("the signal of whoever waits for a job ends it, also where it has fired before, and gives its reason", async () => {
    const { start, notices } = stage();
    const waiter = new AbortController();
    const waited = start("a1", { isBackground: false, waiter: waiter.signal });
    waiter.abort("shutdown");
    const late = start("a2", { isBackground: false, waiter: waiter.signal });
    await Promise.all([endOf(waited.job), endOf(late.job)]);
    expect([waited.job.status(), late.job.status()]).toEqual(["killed", "killed"]);
    expect([waited.reasons, late.reasons]).toEqual([["shutdown"], ["shutdown"]]);
    expect(notices).toEqual([]);
  });

  test("[SYNC-09] [ASYNC-09] nobody's signal ends a job any more once it is in the background", async () => {
    const { start, notices } = stage();
    const waiter = new AbortController();
    const begun = start("a1", { waiter: waiter.signal });
    const moved = start("a2", { isBackground: false, waiter: waiter.signal });
    moved.job.toBackground();
    await moved.job.backgrounded;
    waiter.abort("user_interrupt");
    expect([begun.reasons, moved.reasons]).toEqual([[], []]);
    begun.done();
    moved.done();
    await Promise.all([endOf(begun.job), endOf(moved.job)]);
    expect([begun.job.status(), moved.job.status()]).toEqual(["completed", "completed"]);
    expect(notices).toHaveLength(2);
  });

  test("a job that has ended can be sent to no background, and its waiter's signal means nothing to it", async () => {
    const { start, notices } = stage();
    const waiter = new AbortController();
    const { job, done, reasons } = start("a1", { isBackground: false, waiter: waiter.signal });
    done();
    await job.ended;
    job.toBackground();
    waiter.abort("user_interrupt");
    await endOf(job);
    expect([job.isBackground(), reasons, notices]).toEqual([false, [], []]);
  });

  test("[NOTIF-08] whoever waits for a job hears its end first, and nobody is told twice", async () => {
    const { start, notices } = stage();
    const { job, done } = start("a1");
    const heard = job.ended.then(async () => {
      // As many steps as it takes until the waiter says so.
      for (let step = 0; step < 50; step++) await undefined;
      job.markTold();
    });
    done();
    await Promise.all([heard, endOf(job)]);
    expect(notices).toEqual([]);
  });
});

describe("the end of a job", () => {
  test("[NOTIF-01] [FAIL-10] an end is told with its report, its output and what it took", async () => {
    const { start, notices } = stage();
    const { job, done } = start("a1", { call: "t1" });
    done({ usage: { subagentTokens: 3, toolUses: 2, durationMs: 1 } });
    await endOf(job);
    expect(notices).toHaveLength(1);
    expect(notices[0]?.text.replaceAll("\n", "")).toMatch(
      /a1<.*t1<.*\/out\/a1<.*completed<.*Agent "job a1" completed<.*a report<.*3<.*2<.*1</,
    );
  });

  test("[FAIL-12] the end of a job that threw is told as a failure, with what it had said", async () => {
    const { start, notices } = stage();
    const { job, fail } = start("a1");
    fail(new Error("bad luck"));
    await endOf(job);
    expect(job.end()).toEqual({ status: "failed", text: "so far", failure: "bad luck", usage: noUsage });
    expect(notices[0]?.text).toMatch(/failed: bad luck[\s\S]*so far/);
  });

  test("[FAIL-13] an end is known before what takes its time afterwards is done, and is told after that, with what is left", async () => {
    const { start, notices } = stage();
    const tidied = later<Remains>();
    const { job, done } = start("a1", { tidy: () => tidied.promise });
    done();
    await job.ended;
    expect([job.status(), job.output()]).toEqual(["completed", "a report"]);
    await new Promise(setImmediate);
    expect(notices).toEqual([]);
    tidied.resolve({ worktree: { worktreePath: "/kept" } });
    expect(await job.tidied).toEqual({ worktree: { worktreePath: "/kept" } });
    await endOf(job);
    expect(notices[0]?.text).toContain("<worktreePath>/kept</worktreePath>");
  });

  test("an end is told also where something could not be tidied up, which is shown", async () => {
    const { start, notices, shown } = stage();
    const { job, done } = start("a1", { tidy: () => Promise.reject(new Error("the disk is full")) });
    done();
    await endOf(job);
    expect(notices).toHaveLength(1);
    expect(shown).toEqual(['The agent "job a1" (a1) was not cleaned up completely: the disk is full']);
    expect(await job.tidied).toEqual({});
  });

  test("[ASYNC-10] whoever stops a job waits for its end, and it is tidied up once, however often it is stopped", async () => {
    const { start } = stage();
    const tidies: string[] = [];
    const one = start("a1", {
      tidy: async () => {
        tidies.push("a1");
        return {};
      },
    });
    await one.job.stop();
    expect(one.job.status()).toBe("killed");
    await one.job.stop();
    one.job.abort("shutdown");
    await endOf(one.job);
    expect([one.reasons, tidies]).toEqual([["task_stop"], ["a1"]]);
  });
});

describe("who hears of an end", () => {
  test("an end is told to the agent that started the job, or the nearest above it that still works", async () => {
    const { start, notices } = stage();
    const grandparent = start("a1");
    const parent = start("a2", { agent: "a1" });
    const [first, second, third] = ["a3", "a4", "a5"].map((id) => start(id, { agent: "a2" }));
    first?.done();
    await endOf(first?.job);
    parent.done();
    await endOf(parent.job);
    second?.done();
    await endOf(second?.job);
    grandparent.done();
    await endOf(grandparent.job);
    third?.done();
    await endOf(third?.job);
    expect(notices.map(({ text, agent }) => [/<task-id>(.*)<\/task-id>/.exec(text)?.[1], agent])).toEqual([
      ["a3", "a2"],
      ["a2", "a1"],
      ["a4", "a1"],
      ["a1", undefined],
      ["a5", undefined],
    ]);
  });

  test("nobody is told when the session ends: all jobs are ended and awaited, and none starts any more", async () => {
    const { jobs, start, notices } = stage();
    const tidied = later<Remains>();
    const one = start("a1", { tidy: () => tidied.promise });
    const two = start("a2");
    two.done();
    await endOf(two.job);
    expect(notices).toHaveLength(1);
    let isClosed = false;
    const closed = jobs.close().then(() => {
      isClosed = true;
    });
    expect(() => start("a3")).toThrow("the session is ending");
    await new Promise(setImmediate);
    expect([one.reasons, one.job.status(), isClosed]).toEqual([["shutdown"], "killed", false]);
    tidied.resolve({});
    await closed;
    await new Promise(setImmediate);
    expect(notices).toHaveLength(1);
  });
});

describe("how a job is found", () => {
  test("[SEND-01] [SEND-02] a job is found by its id and its name, which no other takes from it, also when it has ended", async () => {
    const { jobs, start } = stage();
    const first = start("a1", { name: "scout" });
    expect([jobs.find("scout"), jobs.find("a1"), jobs.find("nobody")]).toEqual([first.job, first.job, undefined]);
    expect(() => start("a2", { name: "scout" })).toThrow(/scout is in use: the agent a1 \("job a1"\), which works/);
    first.done();
    await endOf(first.job);
    expect(() => start("a2", { name: "scout" })).toThrow("has ended and can go on");
    const again = start("a1", { name: "scout" });
    expect([jobs.find("scout"), jobs.all()]).toEqual([again.job, [again.job]]);
  });

  test("the name of one that answers once is free when it has answered", async () => {
    const { jobs, start } = stage();
    const first = start("a1", { name: "scout", isOneShot: true });
    expect(() => start("a2", { name: "scout" })).toThrow("scout is in use");
    first.done();
    await endOf(first.job);
    expect(jobs.find("scout")).toBe(first.job);
    expect(jobs.find("scout")).not.toBe(start("a2", { name: "scout" }).job);
    expect(jobs.find("scout")?.id).toBe("a2");
  });

  test("an agent finds what was started below it, and neither itself nor its siblings", async () => {
    const { jobs, start } = stage();
    start("a1");
    start("a2");
    const child = start("a3", { agent: "a1" });
    start("a4", { agent: "a3", name: "deep" });
    const below = (agent: string | undefined) => {
      const view = jobs.below(agent);
      const found = ["a1", "a2", "a3", "deep", "nobody"].flatMap((id) => view.find(id)?.id ?? []);
      return [found, view.running().map(({ id }) => id)];
    };
    const everybody = ["a1", "a2", "a3", "a4"];
    expect(below(undefined)).toEqual([everybody, everybody]);
    expect(below("a1")).toEqual([
      ["a3", "a4"],
      ["a3", "a4"],
    ]);
    expect(below("a2")).toEqual([[], []]);
    child.done();
    await child.job.ended;
    expect(below("a1")).toEqual([["a3", "a4"], ["a4"]]);
  });

  test("whoever looks at a job that another started does not know its end in the place of that one", async () => {
    const { jobs, start, notices } = stage();
    const parent = start("a1");
    const [seen, known] = [start("a2", { agent: "a1" }), start("a3", { agent: "a1" })];
    jobs.below(undefined).find("a2")?.markTold();
    jobs.below("a1").find("a3")?.markTold();
    for (const { job, done } of [seen, known]) {
      done();
      await endOf(job);
    }
    expect(notices.map(({ text, agent }) => [text.includes("a2"), agent])).toEqual([[true, "a1"]]);
    parent.done();
  });
});
