import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { codecFor, type Revision, revisions, type Task, type TeamLayout } from "@troupe/protocol";
import { describe, expect } from "vitest";
import { test } from "../../test/scratch.ts";
import { draft, lists, put, read } from "../../test/task-lists.ts";

const allBytes = (layout: TeamLayout) =>
  readdirSync(layout.tasks).map((name) => {
    const path = join(layout.tasks, name);
    return [name, statSync(path).ino, readFileSync(path, "utf8")];
  });
const quick = { deadlineMs: 40, staleMs: 10_000 };
const idsOf = (tasks: readonly Task[]) => tasks.map(({ id }) => id);

describe.each(revisions)("%s", (revision: Revision) => {
  const codec = codecFor(revision);
  const { open, openWith } = lists(revision);

  test("[ATP-TSK-030] [ATP-TSK-031] [TASK-06] who waits is written into the blocker in the same operation", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 3);
    expect(await tasks.update("3", { addBlockedBy: ["1", "2"] })).toMatchObject({ blockedBy: ["1", "2"], blocks: [] });
    expect([1, 2, 3].map((n) => read(layout, String(n)).blocks)).toEqual([["3"], ["3"], []]);
    expect([1, 2, 3].map((n) => read(layout, String(n)).blockedBy)).toEqual([[], [], ["1", "2"]]);
  });

  test("[ATP-TSK-032] [ATP-TSK-033] to block is the mirror image of to be blocked, and an edge that is there changes nothing", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 2);
    await tasks.update("1", { addBlocks: ["2"] });
    expect([read(layout, "1"), read(layout, "2")]).toMatchObject([{ blocks: ["2"] }, { blockedBy: ["1"] }]);
    const before = allBytes(layout);
    await tasks.update("1", { addBlocks: ["2", "2"] });
    await tasks.update("2", { addBlockedBy: ["1"] });
    expect(allBytes(layout)).toEqual(before);
  });

  test("a dependency is taken away on both sides, also one that stands on one side only or leads to nothing", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 4);
    await tasks.update("3", { addBlockedBy: ["1", "2"], addBlocks: ["4"] });
    const sides = () => ["1", "2", "3", "4"].map((id) => [read(layout, id).blocks, read(layout, id).blockedBy]);
    await tasks.update("3", { removeBlockedBy: ["1"], removeBlocks: ["4"] });
    expect(sides()).toEqual([
      [[], []],
      [["3"], []],
      [[], ["2"]],
      [[], []],
    ]);
    put(layout, "2", {});
    put(layout, "3", { blocks: ["9"], blockedBy: ["2"] });
    await tasks.update("2", { removeBlocks: ["3"], addBlockedBy: ["4"] });
    await tasks.update("3", { removeBlocks: ["9"] });
    expect(sides()).toEqual([
      [[], []],
      [[], ["4"]],
      [[], []],
      [["2"], []],
    ]);
    const before = allBytes(layout);
    await tasks.update("3", { removeBlockedBy: ["1"] });
    expect(allBytes(layout)).toEqual(before);
  });

  test("a task may be started in the same change that takes away what it waits for", async ({ layout }) => {
    const tasks = await openWith(layout, 2);
    await tasks.update("2", { addBlockedBy: ["1"] });
    expect(await tasks.update("2", { removeBlockedBy: ["1"], status: "in_progress" })).toMatchObject({
      status: "in_progress",
      blockedBy: [],
    });
  });

  test("[ATP-TSK-034] [ATP-TSK-035] [TASK-06] circles, edges to itself and to absent tasks are refused whole", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 4);
    await tasks.update("2", { addBlockedBy: ["1"] });
    await tasks.update("3", { addBlockedBy: ["2"] });
    const before = allBytes(layout);
    for (const change of [
      { addBlockedBy: ["4", "3"] },
      { addBlocks: ["1"] },
      { addBlocks: ["4"], addBlockedBy: ["4"] },
      { addBlocks: ["4"], subject: "never", addBlockedBy: ["2"] },
    ]) {
      await expect(tasks.update("1", change)).rejects.toMatchObject({ code: "task_cyclic" });
    }
    for (const absent of ["9", "nothing", "../2", ""]) {
      const attempt = tasks.update("1", { subject: "never", addBlocks: ["4", absent] });
      await expect(attempt).rejects.toMatchObject({ code: "task_unknown" });
    }
    expect(allBytes(layout)).toEqual(before);
  });

  test("[ATP-TSK-034] of two edges that are added at once and would close a circle one is refused", async ({
    layout,
  }) => {
    const handles = [await openWith(layout, 2), open(layout)];
    const ended = await Promise.allSettled([
      handles[0]?.update("1", { addBlockedBy: ["2"] }),
      handles[1]?.update("2", { addBlockedBy: ["1"] }),
    ]);
    expect(ended.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(ended.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "task_cyclic" } });
    expect([...read(layout, "1").blockedBy, ...read(layout, "2").blockedBy]).toHaveLength(1);
  });

  test("a task is made with all its ties, which stand on both sides", async ({ layout }) => {
    const tasks = await openWith(layout, 2);
    const made = await tasks.create(draft, { owner: "alice", addBlocks: ["1"], addBlockedBy: ["2"] });
    expect(made).toMatchObject({ id: "3", owner: "alice", status: "pending", blocks: ["1"], blockedBy: ["2"] });
    expect(read(layout, "3")).toEqual(made);
    expect([read(layout, "1").blockedBy, read(layout, "2").blocks]).toEqual([["3"], ["3"]]);
  });

  test("a task that cannot be made with its ties is not made, and uses no id", async ({ layout }) => {
    const tasks = await openWith(layout, 2);
    await tasks.update("1", { addBlocks: ["2"] });
    const before = allBytes(layout);
    for (const [ties, code] of [
      [{ addBlockedBy: ["9"] }, "task_unknown"],
      [{ addBlocks: ["1", "3"] }, "task_unknown"],
      [{ addBlocks: ["1"], addBlockedBy: ["2"] }, "task_cyclic"],
      [{ owner: "nobody" }, "member_unknown"],
    ] as const) {
      await expect(tasks.create(draft, ties)).rejects.toMatchObject({ code });
    }
    await expect(tasks.create({ subject: 5 } as never, { addBlocks: ["1"] })).rejects.toThrow();
    expect(allBytes(layout)).toEqual(before);
    expect((await tasks.create(draft)).id).toBe("3");
  });

  test("what cannot be joined is refused without waiting for anybody", async ({ layout }) => {
    await openWith(layout, 1);
    mkdirSync(`${layout.taskLock}.lock`);
    const tasks = open(layout, { limits: { deadlineMs: 40, staleMs: 10_000 } });
    await expect(tasks.update("1", { addBlocks: ["1"] })).rejects.toMatchObject({ code: "task_cyclic" });
    await expect(tasks.update("1", { addBlocks: ["2"] })).rejects.toMatchObject({ code: "task_unknown" });
    expect(readdirSync(layout.tasks).sort()).toEqual([".lock", ".lock.lock", "1.json"]);
  });

  test("[ATP-TSK-036] [ATP-TSK-110] an edge that a crash left on one side holds, and is completed by the next who locks both", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 3);
    put(layout, "1", { blocks: ["2"] });
    put(layout, "3", { blockedBy: ["2"] });
    expect(idsOf(await tasks.ready())).toEqual(["1"]);
    expect(await tasks.claim("2", "alice")).toEqual({ outcome: "blocked", by: ["1"] });
    await expect(tasks.update("1", { addBlockedBy: ["3"] })).rejects.toMatchObject({ code: "task_cyclic" });
    await tasks.update("2", { status: "pending" });
    expect([1, 2, 3].map((n) => read(layout, String(n)).blocks)).toEqual([["2"], ["3"], []]);
    expect([1, 2, 3].map((n) => read(layout, String(n)).blockedBy)).toEqual([[], ["1"], ["2"]]);
  });

  test("[ATP-TSK-037] [ATP-TSK-038] [TASK-07] a task waits for every unfinished blocker, and for none that is done", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 3);
    await tasks.update("3", { addBlockedBy: ["1", "2"] });
    expect(await tasks.claim("3", "alice")).toEqual({ outcome: "blocked", by: ["1", "2"] });
    await tasks.complete("1");
    expect(await tasks.claim("3", "alice")).toEqual({ outcome: "blocked", by: ["2"] });
    await tasks.update("2", { status: "in_progress" });
    expect(idsOf(await tasks.ready())).toEqual([]);
    await tasks.complete("2");
    expect(idsOf(await tasks.ready())).toEqual(["3"]);
    expect(await tasks.claim("3", "alice")).toMatchObject({ outcome: "claimed" });
  });

  test("[ATP-TSK-039] [ATP-TSK-107] [TASK-09] completing takes the id out of those that waited, or leaves it, as the revision does", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 3);
    await tasks.update("1", { addBlocks: ["2", "3"] });
    await tasks.complete("1");
    const left = codec.unblocksOnDisk ? [] : ["1"];
    expect(codec.unblocksOnDisk).toBe(revision === "2026-02");
    expect([read(layout, "2").blockedBy, read(layout, "3").blockedBy]).toEqual([left, left]);
    expect(read(layout, "1")).toMatchObject({ status: "completed", blocks: ["2", "3"] });
    await tasks.update("1", { status: "pending" });
    expect(read(layout, "2").blockedBy).toEqual(["1"]);
    expect(idsOf(await tasks.ready())).toEqual(["1"]);
  });

  test("[ATP-TSK-039] [ATP-TSK-108] blockers that are completed, deleted or absent block nothing", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 1);
    await tasks.complete("1");
    put(layout, "2", { status: "deleted" });
    put(layout, "3", { blockedBy: ["1", "2", "77"] });
    expect(idsOf(await tasks.ready())).toEqual(["3"]);
    expect(await tasks.claim("3", "alice")).toMatchObject({ outcome: "claimed" });
  });

  test("[ATP-TSK-040] a removed task is named by nobody, and an attempt that was cut off is finished by the next", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 4);
    await tasks.update("2", { addBlockedBy: ["1"], addBlocks: ["3", "4"] });
    expect(await tasks.remove("2")).toBe(true);
    for (const id of ["1", "3", "4"]) expect(read(layout, id)).toMatchObject({ blocks: [], blockedBy: [] });
    put(layout, "3", { blockedBy: ["2", "1"] });
    expect(await tasks.remove("2")).toBe(false);
    expect(read(layout, "3").blockedBy).toEqual(["1"]);
  });

  test("[ATP-TSK-041] [ATP-TSK-042] [TASK-12] of many who claim one task one gets it with owner and state at once, and the rest change nothing", async ({
    layout,
  }) => {
    const handles = [await openWith(layout, 1), open(layout), open(layout)];
    const claims = await Promise.all(
      Array.from({ length: 30 }, (_, n) => handles[n % 3]?.claim("1", n % 2 === 0 ? "alice" : "bob")),
    );
    const [won, ...more] = claims.filter((claim) => claim?.outcome === "claimed");
    expect(more).toEqual([]);
    expect(won).toEqual({ outcome: "claimed", task: read(layout, "1") });
    expect(read(layout, "1").status).toBe("in_progress");
    const { owner } = read(layout, "1");
    expect(claims.filter((claim) => claim?.outcome === "taken")).toEqual(Array(29).fill({ outcome: "taken", owner }));
    const before = allBytes(layout);
    expect(await handles[1]?.claim("1", owner)).toEqual({ outcome: "taken", owner });
    expect(allBytes(layout)).toEqual(before);
  });

  test("what was assigned to somebody can be begun by that one alone, and is not offered to others", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 1);
    await tasks.update("1", { owner: "alice" });
    expect(await tasks.claimNext("bob")).toBeUndefined();
    expect(await tasks.claim("1", "bob")).toEqual({ outcome: "taken", owner: "alice" });
    expect(await tasks.claim("1", "alice")).toMatchObject({ outcome: "claimed" });
  });

  test("[TEAM-21] who claims takes the lock file of the task: while another program has it nothing is claimed, and then what that one wrote counts", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 2);
    const hasty = open(layout, { limits: quick });
    const held = `${layout.task("1")}.lock`;
    const before = read(layout, "1");
    mkdirSync(held);
    const refused = { code: "lock_unavailable", details: { file: layout.task("1") } };
    await expect(hasty.claim("1", "bob")).rejects.toMatchObject(refused);
    expect((await hasty.claimNext("bob"))?.id).toBe("2");
    expect(read(layout, "1")).toEqual(before);
    const claims = [tasks.claim("1", "bob"), open(layout).claim("1", "bob")];
    put(layout, "1", { status: "in_progress", owner: "alice" });
    rmdirSync(held);
    expect(await Promise.all(claims)).toEqual(Array(2).fill({ outcome: "taken", owner: "alice" }));
    expect(readdirSync(layout.tasks).filter((name) => name.endsWith(".json.lock"))).toEqual([]);
  });

  test("[ATP-TSK-043] completing beside adding an edge, and claiming beside both, end as if one came after the other", async ({
    layout,
  }) => {
    const [ours, theirs] = [await openWith(layout, 2), open(layout)];
    const [, , claim] = await Promise.all([
      ours.complete("1"),
      theirs.update("2", { addBlockedBy: ["1"] }),
      theirs.claim("2", "alice"),
    ]);
    if (claim?.outcome !== "claimed") expect(await ours.claim("2", "alice")).toMatchObject({ outcome: "claimed" });
    expect(read(layout, "2").owner).toBe("alice");
  });
});
