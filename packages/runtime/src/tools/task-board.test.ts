import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Revision } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import { expect, test } from "vitest";
import { untilSeen } from "../../../../scripts/awaited.ts";
import { commands, hooked, script } from "../../test/hooked.ts";
import { scratch } from "../../test/scratch.ts";
import { mate, taskCaller, teamOf } from "../../test/task-callers.ts";
import { mayComplete } from "../hooks/task-hooks.ts";

/**
 * A team whose members have hooks, one task that alice has begun, and another that waits for it.
 */
async function working(hooks: Record<string, unknown>, revision: Revision = "2026-11") {
  const cwd = scratch();
  const team = await openFileStore({ root: cwd }).createTeam({ ...teamOf, revision });
  for (const name of ["alice", "bob"]) await team.join(mate(name));
  await team.tasks.create({ subject: "Write the parser", description: "With tests" });
  await team.tasks.create({ subject: "Use it", description: "" });
  await team.tasks.update("2", { addBlockedBy: ["1"] });
  await team.tasks.claim("1", "alice");
  const caller = async (member: string) =>
    taskCaller({
      tasks: (await team.as(member)).tasks,
      hooks: hooked(hooks, { projectDir: cwd }),
      team: "t",
      member,
      revision,
    });
  const text = (name: string) => readFileSync(join(cwd, name), "utf8");
  return {
    cwd,
    alice: await caller("alice"),
    bob: await caller("bob"),
    text,
    document: (id: string) => text(`tasks/t/${id}.json`),
    task: (id: string) => JSON.parse(text(`tasks/t/${id}.json`)),
    isThere: (name: string) => existsSync(join(cwd, name)),
  };
}

const complete = { taskId: "1", status: "completed" };
const says = (output: object) => `echo '${JSON.stringify(output)}'`;

test.each([
  ["exits with 2", "echo the tests fail >&2; exit 2"],
  ["answers with a block", says({ decision: "block", reason: "the tests fail" })],
])("[HOOK-10] a hook that %s keeps a task open, and the agent is told why", async (_, command) => {
  const { alice, document } = await working({ TaskCompleted: commands(command) });
  const before = [document("1"), document("2")];
  expect(await alice.call("TaskUpdate", { ...complete, subject: "Done" })).toEqual({
    text: "Task #1 stays in_progress. the tests fail",
    isError: true,
  });
  expect([document("1"), document("2")]).toEqual(before);
  expect(alice.stopped).toEqual([]);
});

test.each(["2026-02", "2026-11"] as const)(
  "[HOOK-10] in %s a script is told which task is to be completed before the document changes, once, and lets it pass",
  async (revision) => {
    const directory = scratch();
    const look = script(directory, "look.sh", "cat >> event.json; cat tasks/t/1.json > before.json");
    const { alice, text, task } = await working({ TaskCompleted: commands(look) }, revision);
    for (let n = 0; n < 2; n += 1) expect((await alice.call("TaskUpdate", complete)).isError).toBe(false);
    expect(JSON.parse(text("event.json"))).toMatchObject({
      hook_event_name: "TaskCompleted",
      task_id: "1",
      task_subject: "Write the parser",
      task_description: "With tests",
      teammate_name: "alice",
      team_name: "t",
    });
    expect(JSON.parse(text("before.json")).status).toBe("in_progress");
    expect(task("1").status).toBe("completed");
  },
);

test("[HOOK-10] a hook that says not to continue stops the agent, and the task stays open", async () => {
  const hook = says({ continue: false, stopReason: "budget spent", systemMessage: "see the bill" });
  const { alice, task } = await working({ TaskCompleted: commands(hook) });
  expect(await alice.call("TaskUpdate", complete)).toMatchObject({
    text: expect.stringContaining("budget spent"),
    isError: true,
  });
  expect(alice.stopped).toEqual(["budget spent"]);
  expect(alice.shown).toEqual(["see the bill"]);
  expect(task("1").status).toBe("in_progress");
});

test("a hook that takes too long or fails is shown, and the task is completed", async () => {
  const { alice, task } = await working({
    TaskCompleted: [{ hooks: [{ type: "command", command: "sleep 60", timeout: 0.05 }] }, ...commands("exit 7")],
  });
  expect((await alice.call("TaskUpdate", complete)).isError).toBe(false);
  expect(alice.shown).toEqual([expect.stringContaining("TaskCompleted"), expect.stringContaining("exited with 7")]);
  expect(task("1").status).toBe("completed");
});

test("a task is not completed once the call is cancelled, since its hook might have refused", async () => {
  const { alice, task, cwd } = await working({ TaskCompleted: commands("touch begun; sleep 60; exit 2") });
  const ending = new AbortController();
  const outcome = alice.call("TaskUpdate", complete, ending.signal);
  await untilSeen("the file begun", () => existsSync(join(cwd, "begun")));
  ending.abort();
  expect(await outcome).toMatchObject({ isError: true });
  expect(task("1").status).toBe("in_progress");
});

test("two agents complete a task at once: the hooks see both, it is completed once, and nothing waits for it any more", async () => {
  const meet = "echo x >> log; until [ $(wc -l < log) -ge 2 ]; do sleep 0.01; done";
  const { alice, bob, task, text } = await working({ TaskCompleted: commands(meet) }, "2026-02");
  const outcomes = await Promise.all([alice.call("TaskUpdate", complete), bob.call("TaskUpdate", complete)]);
  expect(outcomes.map(({ isError }) => isError)).toEqual([false, false]);
  expect(text("log")).toBe("x\nx\n");
  expect(task("1")).toMatchObject({ status: "completed", owner: "alice" });
  expect(task("2").blockedBy).toEqual([]);
});

test("a task that its hook removes is not there to be completed", async () => {
  const { alice, isThere } = await working({ TaskCompleted: commands("rm tasks/t/1.json") });
  expect(await alice.call("TaskUpdate", complete)).toEqual({
    text: "Task not found: there is no task 1: list the tasks for their ids",
    isError: true,
  });
  expect(isThere("tasks/t/1.json")).toBe(false);
});

const fresh = { subject: "Sell it", description: "dear" };

test.each([
  ["exits with 2", "echo not ours >&2; exit 2"],
  ["answers with a block", says({ decision: "block", reason: "not ours", continue: false })],
])(
  "[HOOK-10] a hook that %s has a new task removed, its id is not given again, and the agent goes on",
  async (_, command) => {
    const look = "cat > event.json; cat tasks/t/3.json > made.json;";
    const { alice, text, isThere } = await working({ TaskCreated: commands(`${look} ${command}`) });
    expect(await alice.call("TaskCreate", fresh)).toEqual({
      text: "The task was not created. not ours",
      isError: true,
    });
    expect(JSON.parse(text("event.json"))).toMatchObject({
      hook_event_name: "TaskCreated",
      task_id: "3",
      task_subject: "Sell it",
      task_description: "dear",
      teammate_name: "alice",
      team_name: "t",
    });
    expect(JSON.parse(text("made.json")).id).toBe("3");
    expect(isThere("tasks/t/3.json")).toBe(false);
    expect(alice.stopped).toEqual([]);
    expect((await alice.deps.tasks.create(fresh)).id).toBe("4");
  },
);

test("a new task that its hook has removed and refuses is not created", async () => {
  const { alice } = await working({ TaskCreated: commands("rm tasks/t/3.json; echo not ours >&2; exit 2") });
  expect(await alice.call("TaskCreate", fresh)).toEqual({ text: "The task was not created. not ours", isError: true });
});

test("[HOOK-10] hooks of TaskCreated let a task pass, also one that says not to continue; 2026-02 has no such event", async () => {
  const command = `echo x >> log; ${says({ continue: false, stopReason: "enough", systemMessage: "one more" })}`;
  const { alice, text } = await working({ TaskCreated: commands(command) });
  expect((await alice.call("TaskCreate", fresh)).text).toBe("Created task #3: Sell it");
  expect([alice.stopped, alice.shown, text("log")]).toEqual([[], ["one more"], "x\n"]);
  const earlier = await working({ TaskCreated: commands("touch log; exit 2") }, "2026-02");
  expect((await earlier.alice.call("TaskCreate", fresh)).isError).toBe(false);
  expect(earlier.isThere("log")).toBe(false);
});

test("a new task is taken back when the call is cancelled before its hooks have answered", async () => {
  const { alice, isThere } = await working({ TaskCreated: commands("touch begun; sleep 60") });
  const ending = new AbortController();
  const outcome = alice.call("TaskCreate", fresh, ending.signal);
  await untilSeen("the file begun", () => isThere("begun"));
  ending.abort();
  expect(await outcome).toMatchObject({ isError: true });
  expect(isThere("tasks/t/3.json")).toBe(false);
});

test("whoever ends a turn with a task in progress asks the same hooks about it", async () => {
  const { alice, task } = await working({ TaskCompleted: commands("echo the tests fail >&2; exit 2") });
  expect(await mayComplete(task("1"), alice.deps, new AbortController().signal)).toEqual({
    completes: false,
    because: "the tests fail",
  });
  expect(await mayComplete(task("1"), { ...alice.deps, hooks: hooked({}) }, new AbortController().signal)).toEqual({
    completes: true,
  });
});
