import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codecFor, lockOf, type Revision, revisions, type Task, type TeamLayout } from "@troupe/protocol";
import { describe, expect } from "vitest";
import { test } from "../../test/scratch.ts";
import { draft, lists, put, read } from "../../test/task-lists.ts";
import { openTasks } from "./tasks.ts";

const allBytes = (layout: TeamLayout) =>
  readdirSync(layout.tasks).map((name) => {
    const path = join(layout.tasks, name);
    return [name, statSync(path).ino, readFileSync(path, "utf8")];
  });
const idsOf = (tasks: readonly Task[]) => tasks.map(({ id }) => id);

describe.each(revisions)("%s", (revision: Revision) => {
  const codec = codecFor(revision);
  const { open, openWith } = lists(revision);

  test("[ATP-TSK-006] [ATP-TSK-007] [TASK-13] a task goes from pending over in_progress to completed, and to no state of no kind", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 1);
    for (const status of ["in_progress", "completed"] as const) {
      expect((await tasks.update("1", { status })).status).toBe(status);
      expect(read(layout, "1").status).toBe(status);
    }
    await expect(tasks.update("1", { status: "done" as never })).rejects.toMatchObject({ code: "document_invalid" });
    expect(read(layout, "1").status).toBe("completed");
  });

  test("[ATP-TSK-008] [ATP-TSK-009] deleted is reached from every state, is listed no more and is left by nothing", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 4);
    await tasks.update("2", { status: "in_progress" });
    await tasks.complete("3");
    for (const id of ["1", "2", "3"])
      expect(await tasks.update(id, { status: "deleted" })).toMatchObject({ id, status: "deleted" });
    put(layout, "5", { status: "deleted" });
    expect(idsOf((await tasks.list()).tasks)).toEqual(["4"]);
    for (const id of ["1", "2", "3", "5"]) {
      expect((await tasks.get(id)).value).toBeUndefined();
      await expect(tasks.update(id, { status: "pending" })).rejects.toMatchObject({ code: "task_unknown" });
      expect(await tasks.claim(id, "alice")).toEqual({ outcome: "absent" });
      expect(await tasks.release(id)).toBe(false);
      expect(await tasks.remove(id)).toBe(false);
    }
    expect((await tasks.create(draft)).id).toBe("6");
  });

  test("[ATP-TSK-010] one task is handed out whole; of one that is absent, or of no id at all, there is nothing", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 1);
    put(layout, "2", { owner: "alice", metadata: { a: [1] }, future: { kept: true } });
    expect(await tasks.get("2")).toEqual({ value: read(layout, "2"), problems: [] });
    for (const id of ["3", "../1", "", "01"]) {
      expect(await tasks.get(id)).toEqual({ value: undefined, problems: [] });
      expect(await tasks.claim(id, "alice")).toEqual({ outcome: "absent" });
      await expect(tasks.update(id, { subject: "x" })).rejects.toMatchObject({ code: "task_unknown" });
    }
  });

  test("[ATP-TSK-011] [ATP-TSK-012] [TASK-08] ten comes after nine in lists, and the lowest ready id is offered first", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 11);
    const numbers = Array.from({ length: 11 }, (_, n) => String(n + 1));
    expect(idsOf((await tasks.list()).tasks)).toEqual(numbers);
    expect(idsOf(await tasks.ready())).toEqual(numbers);
    for (const id of numbers) expect((await tasks.claimNext("alice"))?.id).toBe(id);
    expect(await tasks.claimNext("bob")).toBeUndefined();
  });

  test("[ATP-TSK-013] [ATP-TSK-105] [TASK-11] an owner is the bare name of a member; another is refused and nothing is written", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 1);
    const before = allBytes(layout);
    for (const name of ["nobody", "alice@analysis", "", "../alice"]) {
      await expect(tasks.update("1", { owner: name })).rejects.toMatchObject({ code: "member_unknown" });
      await expect(tasks.claim("1", name)).rejects.toMatchObject({ code: "member_unknown" });
      await expect(tasks.claimNext(name)).rejects.toMatchObject({ code: "member_unknown" });
    }
    expect(allBytes(layout)).toEqual(before);
    expect(await tasks.update("1", { owner: "alice" })).toMatchObject({ owner: "alice", status: "pending" });
  });

  test("[ATP-TSK-106] a task of somebody who is no member is listed, kept and can be released", async ({ layout }) => {
    const tasks = await openWith(layout, 1);
    put(layout, "2", { owner: "gone", status: "in_progress" });
    expect((await tasks.list()).tasks[1]).toMatchObject({ owner: "gone" });
    expect(await tasks.release("2", "alice")).toBe(false);
    expect(await tasks.release("2", "gone")).toBe(true);
    expect(read(layout, "2")).toEqual({ id: "2", ...draft, status: "pending", blocks: [], blockedBy: [] });
  });

  test("[ATP-TSK-014] metadata is merged key by key, and null removes a key", async ({ layout }) => {
    const tasks = await openWith(layout, 1);
    await tasks.update("1", { metadata: { a: 1, b: { c: 2 }, gone: null } });
    const merged = await tasks.update("1", { metadata: { a: null, b: 3, d: JSON.parse('{"__proto__":1}') } });
    expect(merged.metadata).toEqual({ b: 3, d: JSON.parse('{"__proto__":1}') });
    const hostile = await tasks.update("1", { metadata: JSON.parse('{"__proto__":{"x":1},"b":null,"d":null}') });
    expect(Object.keys(hostile.metadata ?? {})).toEqual(["__proto__"]);
    await tasks.update("1", { metadata: JSON.parse('{"__proto__":null}') });
    expect(read(layout, "1")).not.toHaveProperty("metadata");
  });

  test("[ATP-TSK-016] [ATP-TSK-017] [ATP-TSK-102] a change names what changes: every other field stays, also one nobody knows", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 1);
    put(layout, "2", { future: { kept: true }, createdAt: "2026-02-13T10:45:20Z" });
    const before = read(layout, "2");
    await tasks.update("2", { subject: "Another" });
    expect(read(layout, "2")).toEqual({ ...before, subject: "Another" });
    await tasks.update("2", { addBlockedBy: ["1"] });
    await tasks.complete("1");
    await tasks.claim("2", "alice");
    expect(read(layout, "2")).toMatchObject({
      ...before,
      subject: "Another",
      blockedBy: expect.anything(),
      status: "in_progress",
    });
    put(layout, "2", { subject: "Rewritten by a client that knows less" });
    expect((await tasks.update("2", { activeForm: "Going on" })).subject).toBe("Rewritten by a client that knows less");
    await tasks.update("2", { id: "7", blocks: ["1"] } as never);
    expect(read(layout, "2")).toMatchObject({ id: "2", blocks: [] });
  });

  test("[ATP-TSK-018] [ATP-LCK-001] changes of different fields at once all survive", async ({ layout }) => {
    const handles = [await openWith(layout, 1), open(layout), open(layout)];
    const keys = Array.from({ length: 30 }, (_, n) => `k${n}`);
    await Promise.all([
      ...keys.map((key, n) => handles[n % 3]?.update("1", { metadata: { [key]: n } })),
      handles[1]?.update("1", { subject: "new" }),
      handles[2]?.claim("1", "alice"),
    ]);
    expect(Object.keys(read(layout, "1").metadata).sort()).toEqual(keys.sort());
    expect(read(layout, "1")).toMatchObject({ subject: "new", owner: "alice", status: "in_progress" });
  });

  test("[ATP-TSK-020] [TASK-11] a task that is given back has no owner and can be taken again", async ({ layout }) => {
    const tasks = await openWith(layout, 2);
    await tasks.claim("1", "alice");
    await tasks.update("1", { owner: undefined });
    expect(read(layout, "1")).not.toHaveProperty("owner");
    expect(await tasks.claim("1", "bob")).toMatchObject({ outcome: "claimed" });
    expect(await tasks.release("1", "alice")).toBe(false);
    expect(await tasks.release("1")).toBe(true);
    expect(await tasks.release("1")).toBe(false);
    expect((await tasks.claimNext("alice"))?.id).toBe("1");
    await tasks.complete("1");
    expect(await tasks.release("1", "alice")).toBe(false);
    expect(read(layout, "1")).toMatchObject({ owner: "alice", status: "completed" });
  });

  test("whoever is newly given a task is told once it is on disk, and not again for the same", async ({ layout }) => {
    const told: string[] = [];
    const assigned = async (task: Task, owner: string) => {
      told.push(`${task.id} to ${owner}: ${read(layout, task.id).owner}`);
    };
    const tasks = open(layout, { assigned });
    await tasks.create(draft);
    await tasks.update("1", { owner: "alice" });
    await tasks.update("1", { owner: "alice", subject: "same" });
    await tasks.update("1", { owner: "bob", status: "in_progress" });
    await tasks.update("1", { owner: undefined });
    await tasks.claim("1", "alice");
    expect(told).toEqual(["1 to alice: alice", "1 to bob: bob"]);
  });

  test("a claim that a look already refuses waits for no lock", async ({ layout }) => {
    const tasks = await openWith(layout, 2);
    await tasks.claim("1", "alice");
    await tasks.complete("2");
    const locks = [layout.taskLock, layout.task("1"), layout.task("2")].map(lockOf);
    for (const lock of locks) mkdirSync(lock);
    expect(await tasks.claim("1", "bob")).toEqual({ outcome: "taken", owner: "alice" });
    expect(await tasks.claim("2", "bob")).toEqual({ outcome: "taken", owner: undefined });
    // Who waited would have taken them over as left behind.
    for (const lock of locks) expect(existsSync(lock)).toBe(true);
  });

  test("a claim that waits for a lock looks again, and is refused while another still holds it", async ({ layout }) => {
    await openWith(layout, 1);
    const tasks = open(layout, { limits: { deadlineMs: 60, staleMs: 10_000 } });
    mkdirSync(lockOf(layout.task("1")));
    const claim = tasks.claim("1", "bob");
    await new Promise(setImmediate);
    put(layout, "1", { status: "in_progress", owner: "alice" });
    expect(await claim).toEqual({ outcome: "taken", owner: "alice" });
    expect(existsSync(lockOf(layout.task("1")))).toBe(true);
  });

  test("[ATP-TSK-047] another client's bookkeeping is kept and counted, and never listed, offered or claimed", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 1);
    put(layout, "5", { metadata: { _internal: true } });
    expect(idsOf((await tasks.list()).tasks)).toEqual(["1"]);
    expect(idsOf(await tasks.ready())).toEqual(["1"]);
    expect(await tasks.claim("5", "alice")).toEqual({ outcome: "absent" });
    expect((await tasks.create(draft)).id).toBe("6");
    expect(read(layout, "5").metadata).toEqual({ _internal: true });
  });

  test("[ATP-TSK-111] a file that cannot be read is reported with its id, left alone, hides no other, and blocks who waits", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 2);
    put(layout, "2", { blockedBy: ["3"] });
    const torn = '{\n  "id": "3",\n  "subj';
    writeFileSync(layout.task("3"), torn);
    mkdirSync(layout.task("4"));
    for (const id of ["3", "4"]) utimesSync(layout.task(id), 1, 1);
    const { tasks: listed, problems } = await tasks.list();
    expect(idsOf(listed)).toEqual(["1", "2"]);
    expect(problems.map(({ id, code }) => [id, code])).toEqual([
      ["3", "document_torn"],
      ["4", "document_malformed"],
    ]);
    expect(idsOf(await tasks.ready())).toEqual(["1"]);
    expect(await tasks.claim("2", "alice")).toEqual({ outcome: "blocked", by: ["3"] });
    for (const attempt of [
      () => tasks.update("3", { subject: "x" }),
      () => tasks.update("1", { addBlocks: ["3"] }),
      () => tasks.remove("3"),
      () => tasks.claim("4", "alice"),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: "document_unreadable" });
    }
    expect(readFileSync(layout.task("3"), "utf8")).toBe(torn);
    expect((await tasks.create(draft)).id).toBe("5");
    put(layout, "3", { status: "completed" });
    expect(await tasks.claim("2", "alice")).toMatchObject({ outcome: "claimed" });
  });

  test("[ATP-LCK-104] a task that is being written in place is looked at again until it is whole", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 2);
    const whole = readFileSync(layout.task("2"), "utf8");
    writeFileSync(layout.task("2"), whole.slice(0, 20));
    const [one, all] = [tasks.get("2"), tasks.list()];
    writeFileSync(layout.task("2"), whole);
    expect((await one).value?.subject).toBe("Task 2");
    expect(await all).toMatchObject({ tasks: [{ id: "1" }, { id: "2" }], problems: [] });
  });

  test("what a rewrite would harm is not rewritten, not offered, and in nobody's way", async ({ layout }) => {
    const tasks = await openWith(layout, 1);
    const text = codec.write(read(layout, "1")).replace('"pending"', '"pending",\n  "big": 9007199254740993');
    writeFileSync(layout.task("1"), text);
    utimesSync(layout.task("1"), 1, 1);
    await tasks.create(draft);
    expect((await tasks.claimNext("alice"))?.id).toBe("2");
    await expect(tasks.update("1", { subject: "x" })).rejects.toMatchObject({ code: "document_unwritable" });
    expect(readFileSync(layout.task("1"), "utf8")).toBe(text);
  });
});

test("a team in a form between the revisions is listed and never written", async ({ layout }) => {
  mkdirSync(layout.tasks, { recursive: true });
  put(layout, "1", {});
  const tasks = openTasks({ layout, codec: codecFor("between"), isMember: async () => true });
  expect(idsOf((await tasks.list()).tasks)).toEqual(["1"]);
  const before = allBytes(layout);
  for (const attempt of [() => tasks.create(draft), () => tasks.claim("1", "alice")]) {
    await expect(attempt()).rejects.toMatchObject({ code: "revision_read_only" });
  }
  expect(allBytes(layout)).toEqual(before);
});
