import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Revision, revisions } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import { describe, expect, test } from "vitest";
import { scratch } from "../../test/scratch.ts";
import { mate, taskCaller, teamOf } from "../../test/task-callers.ts";

const draft = { subject: "Write the parser", description: "With tests" };

/** A team with its lead, alice and bob, each of whom has the tools. */
async function playing(revision: Revision, count = 0) {
  const root = scratch();
  const team = await openFileStore({ root }).createTeam({ ...teamOf, revision });
  for (const name of ["alice", "bob"]) await team.join(mate(name));
  for (let n = 1; n <= count; n += 1) await team.tasks.create({ ...draft, subject: `Task ${n}` });
  const caller = async (member: string) =>
    taskCaller({ tasks: (await team.as(member)).tasks, team: "t", member, revision });
  const file = (id: string) => join(root, `tasks/t/${id}.json`);
  const inbox = (name: string) => {
    const path = join(root, `teams/t/inboxes/${name}.json`);
    return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { text: string }[]) : [];
  };
  return {
    lead: await caller("team-lead"),
    alice: await caller("alice"),
    bob: await caller("bob"),
    file,
    task: (id: string) => JSON.parse(readFileSync(file(id), "utf8")),
    toldTo: (name: string) => inbox(name).map(({ text }) => JSON.parse(text)),
  };
}

describe.each(revisions)("%s", (revision) => {
  test("[TASK-13] [ATP-TSK-009] [ATP-TSK-011] what is created is listed in the order of the ids until it is deleted, and shown whole", async () => {
    const { lead, task, file } = await playing(revision, 8);
    const metadata = { size: 3 };
    expect(await lead.call("TaskCreate", { ...draft, activeForm: "Writing", metadata, owner: "alice" })).toEqual({
      text: "Created task #9: Write the parser",
      isError: false,
    });
    await lead.call("TaskCreate", { subject: "Task 10", description: "d" });
    for (const taskId of ["3", "4", "5", "6", "7", "8"]) await lead.call("TaskUpdate", { taskId, status: "deleted" });
    expect(existsSync(file("8"))).toBe(false);
    expect((await lead.call("TaskList", {})).text).toBe(
      "#1 [pending] Task 1\n#2 [pending] Task 2\n#9 [pending] Write the parser\n#10 [pending] Task 10",
    );
    const shown = JSON.parse((await lead.call("TaskGet", { taskId: "9" })).text);
    expect(shown).toEqual(task("9"));
    expect(shown).toEqual({
      id: "9",
      ...draft,
      activeForm: "Writing",
      status: "pending",
      blocks: [],
      blockedBy: [],
      metadata,
    });
  });

  test("[TASK-15] [TASK-14] [ATP-TSK-044] the lead lays out the work and gives a task away; a teammate takes, ends and adds one", async () => {
    const { lead, alice, task, toldTo } = await playing(revision, 3);
    await lead.call("TaskUpdate", { taskId: "3", addBlockedBy: ["1", "2"] });
    await lead.call("TaskUpdate", { taskId: "1", owner: "alice" });
    expect(toldTo("alice")).toMatchObject([{ type: "task_assignment", taskId: "1", assignedBy: "team-lead" }]);
    expect((await alice.call("TaskUpdate", { taskId: "1", status: "in_progress" })).text).toBe(
      "Updated task #1: status",
    );
    expect((await alice.call("TaskUpdate", { taskId: "2", owner: "alice" })).text).toBe(
      "Task #2 is yours and in progress.",
    );
    expect(task("2")).toMatchObject({ owner: "alice", status: "in_progress" });
    await alice.call("TaskUpdate", { taskId: "1", status: "completed" });
    await alice.call("TaskCreate", { subject: "Task 4", description: "found on the way" });
    expect((await lead.call("TaskList", {})).text).toBe(
      "#1 [completed] Task 1 (alice)\n#2 [in_progress] Task 2 (alice)\n#3 [pending] Task 3 [blocked by #2]\n#4 [pending] Task 4",
    );
    expect(toldTo("alice")).toHaveLength(1);
  });

  test("[TASK-12] [ATP-TSK-041] [ATP-TSK-042] of two that make a task their own at once one has it, and the other is told who", async () => {
    const { alice, bob, task } = await playing(revision, 5);
    for (const taskId of ["1", "2", "3", "4", "5"]) {
      const change = { taskId, status: "in_progress" };
      const outcomes = await Promise.all([
        bob.call("TaskUpdate", { ...change, owner: "bob" }),
        alice.call("TaskUpdate", { ...change, owner: "alice" }),
      ]);
      const { owner, status } = task(taskId);
      expect(status).toBe("in_progress");
      expect(outcomes.filter(({ isError }) => !isError)).toHaveLength(1);
      expect(outcomes.find(({ isError }) => isError)?.text).toContain(`belongs to ${owner}`);
    }
  });

  test("[TASK-07] [ATP-TSK-037] what waits for others is not taken, and the refusal names them", async () => {
    const { alice, task, file } = await playing(revision, 3);
    await alice.call("TaskUpdate", { taskId: "3", addBlockedBy: ["1", "2"] });
    const before = readFileSync(file("3"), "utf8");
    expect(await alice.call("TaskUpdate", { taskId: "3", owner: "alice" })).toEqual({
      text: "Task #3 waits for #1, #2: complete that first.",
      isError: true,
    });
    const started = await alice.call("TaskUpdate", { taskId: "3", status: "in_progress" });
    expect(started).toMatchObject({ isError: true, text: expect.stringContaining("waits for 1, 2") });
    expect(readFileSync(file("3"), "utf8")).toBe(before);
    for (const taskId of ["1", "2"]) await alice.call("TaskUpdate", { taskId, status: "completed" });
    expect((await alice.call("TaskUpdate", { taskId: "3", owner: "alice" })).isError).toBe(false);
    expect(task("3").status).toBe("in_progress");
  });

  test("[ATP-TSK-014] [ATP-TSK-017] [ATP-TSK-020] only what is named changes: a key by null, the owner by an empty name", async () => {
    const { lead, alice, task } = await playing(revision);
    await lead.call("TaskCreate", { ...draft, metadata: { kept: 1, gone: 2 } });
    const update = { subject: "Write it", metadata: { gone: null, added: [3] }, createdAt: 5, comments: "?" };
    expect((await lead.call("TaskUpdate", { taskId: "1", ...update })).text).toBe("Updated task #1: subject, metadata");
    const changed = { ...draft, subject: "Write it", metadata: { kept: 1, added: [3] }, status: "pending" };
    expect(task("1")).toEqual({ id: "1", ...changed, blocks: [], blockedBy: [] });
    const taken = await alice.call("TaskUpdate", { taskId: "1", owner: "alice", activeForm: "Writing it" });
    expect(taken.text).toBe("Task #1 is yours and in progress. Updated: activeForm");
    expect(task("1")).toMatchObject({ ...changed, activeForm: "Writing it", owner: "alice", status: "in_progress" });
    const again = await alice.call("TaskUpdate", { taskId: "1", owner: "alice", status: "in_progress" });
    expect(again.text).toBe("Updated task #1: status, owner");
    await lead.call("TaskUpdate", { taskId: "1", owner: "" });
    expect(task("1")).toMatchObject({ ...changed, activeForm: "Writing it" });
    expect(task("1")).not.toHaveProperty("owner");
  });

  test("[ATP-TSK-034] [ATP-TSK-035] [ATP-TSK-105] what the store refuses is a failed call that says why, and nothing is written", async () => {
    const { lead, alice, task } = await playing(revision, 2);
    await lead.call("TaskUpdate", { taskId: "1", addBlocks: ["2"] });
    const before = [task("1"), task("2")];
    const refused = async (fields: object, why: string) =>
      expect(await lead.call("TaskUpdate", { taskId: "1", ...fields })).toEqual({
        text: expect.stringContaining(why),
        isError: true,
      });
    await refused({ addBlockedBy: ["2"] }, "for ever: 1 before 2 before 1; leave one of the dependencies out");
    await refused({ addBlocks: ["1"] }, "for ever: 1 before 1");
    await refused({ subject: "s", addBlocks: ["9"] }, "Task not found: there is no task 9: list the tasks");
    await refused({ subject: "s", owner: "carol" }, '"carol" is no member of the team');
    await refused({ comments: "none" }, "name one of subject, description,");
    expect([task("1"), task("2")]).toEqual(before);
    expect(await alice.call("TaskUpdate", { taskId: "1", owner: "alice", addBlocks: ["9"] })).toEqual({
      text: expect.stringMatching(/^Task #1 is yours and in progress. The rest was not changed: Task not found/),
      isError: true,
    });
    expect(task("1")).toMatchObject({ owner: "alice", status: "in_progress" });
  });

  test("[ATP-TSK-010] [ATP-TSK-111] a task that is gone is not found; a file that cannot be read is told, hides no other and stays", async () => {
    const { lead, file } = await playing(revision, 3);
    const [torn, strange] = ["7", "x"];
    writeFileSync(file("2"), '{"id":"2"}');
    for (const taskId of [torn, strange]) {
      const nowhere = {
        text: `Task not found: there is no task ${taskId}: list the tasks for their ids`,
        isError: true,
      };
      expect(await lead.call("TaskGet", { taskId })).toEqual(nowhere);
      expect(await lead.call("TaskUpdate", { taskId, status: "deleted" })).toEqual(nowhere);
    }
    const told = /the file of task #2 cannot be used: .*\/status is missing/;
    for (const outcome of [
      await lead.call("TaskGet", { taskId: "2" }),
      await lead.call("TaskUpdate", { taskId: "2", status: "completed" }),
    ]) {
      expect(outcome).toEqual({ text: expect.stringMatching(told), isError: true });
    }
    const list = await lead.call("TaskList", {});
    expect(list).toEqual({ text: expect.stringMatching(told), isError: false });
    expect(list.text).toContain("#1 [pending] Task 1\n#3 [pending] Task 3\n\n");
    expect(readFileSync(file("2"), "utf8")).toBe('{"id":"2"}');
  });
});

test("the list of a session without a team is worked on with the same tools", async () => {
  const { call } = taskCaller({ tasks: openFileStore({ root: scratch() }).tasksOfSession("s1") });
  expect((await call("TaskList", {})).text).toBe("No tasks");
  await call("TaskCreate", draft);
  await call("TaskUpdate", { taskId: "1", owner: "anybody", status: "in_progress" });
  expect((await call("TaskList", {})).text).toBe("#1 [in_progress] Write the parser (anybody)");
});

test("what only reads can run again and beside others; what writes cannot", async () => {
  const { alice } = await playing("2026-11");
  expect(alice.tools.map((tool) => [tool.definition.name, tool.isReplayable, tool.isConcurrent({})])).toEqual([
    ["TaskCreate", false, false],
    ["TaskGet", true, true],
    ["TaskList", true, true],
    ["TaskUpdate", false, false],
  ]);
});
