import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { codecFor, type Revision, revisions } from "@troupe/protocol";
import { describe, expect } from "vitest";
import { test } from "../../test/scratch.ts";
import { draft, lists, put, read } from "../../test/task-lists.ts";

const quick = { deadlineMs: 40, staleMs: 10_000 };

describe.each(revisions)("%s", (revision: Revision) => {
  const codec = codecFor(revision);
  const { open, openWith } = lists(revision);

  test("[ATP-TSK-001] [TASK-01] [STORE-08] each task is a file of its own, named by its id, beside an empty .lock", async ({
    layout,
  }) => {
    const tasks = open(layout);
    const task = await tasks.create({ ...draft, activeForm: "Writing the parser", metadata: { k: 1 } });
    await tasks.create(draft);
    expect(readdirSync(layout.tasks).sort()).toEqual([".lock", "1.json", "2.json"]);
    expect(statSync(layout.taskLock).size).toBe(0);
    expect(readFileSync(layout.task("1"), "utf8")).toBe(codec.write(task));
    expect(read(layout, "1").id).toBe("1");
  });

  test("[ATP-TSK-005] [ATP-TSK-019] [ATP-TSK-015] a new task is pending with both arrays, and has nothing that was not given", async ({
    layout,
  }) => {
    expect(await open(layout).create(draft)).toEqual({
      id: "1",
      ...draft,
      status: "pending",
      blocks: [],
      blockedBy: [],
    });
    expect(Object.keys(read(layout, "1"))).toEqual("id subject description status blocks blockedBy".split(" "));
    await expect(open(layout).create({ subject: 5, description: "x" } as never)).rejects.toMatchObject({
      code: "arguments_invalid",
    });
    expect(readdirSync(layout.tasks).sort()).toEqual([".lock", "1.json"]);
  });

  test("[ATP-TSK-002] [ATP-TSK-103] ids begin with 1 and follow the highest ever given, whoever gave it", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 2);
    put(layout, "9", {});
    expect((await tasks.create(draft)).id).toBe("10");
    writeFileSync(layout.highWaterMark, "41");
    expect((await tasks.create(draft)).id).toBe("42");
    expect((await open(layout).create(draft)).id).toBe("43");
  });

  test("[ATP-TSK-004] [ATP-TSK-103] the id of a removed task is in the mark before the file is gone, and never given again", async ({
    layout,
  }) => {
    const tasks = await openWith(layout, 3);
    expect(existsSync(layout.highWaterMark)).toBe(false);
    expect(await tasks.remove("3")).toBe(true);
    expect(readFileSync(layout.highWaterMark, "utf8")).toBe("3");
    expect(await tasks.remove("1")).toBe(true);
    expect(await tasks.remove("1")).toBe(false);
    expect((await open(layout).create(draft)).id).toBe("4");
    rmSync(layout.highWaterMark);
    mkdirSync(layout.highWaterMark);
    await expect(tasks.remove("4")).rejects.toThrow();
    expect(existsSync(layout.task("4"))).toBe(true);
  });

  test("[ATP-TSK-003] [TASK-16] a hundred tasks created at once through two handles have a hundred ids", async ({
    layout,
  }) => {
    const handles = [open(layout), open(layout)];
    const made = await Promise.all(Array.from({ length: 100 }, (_, n) => handles[n % 2]?.create(draft)));
    expect(new Set(made.map((task) => task?.id)).size).toBe(100);
    expect(readdirSync(layout.tasks).filter((name) => name.endsWith(".json"))).toHaveLength(100);
  });

  test("an id is found from an earlier look through many names, also after another writer went on and removed", async ({
    layout,
  }) => {
    mkdirSync(layout.tasks, { recursive: true });
    for (let n = 1; n <= 600; n += 1) put(layout, String(n), {});
    const [ours, theirs] = [open(layout), open(layout)];
    expect((await ours.create(draft)).id).toBe("601");
    expect((await ours.create(draft)).id).toBe("602");
    expect((await theirs.create(draft)).id).toBe("603");
    expect((await theirs.create(draft)).id).toBe("604");
    expect(await theirs.remove("604")).toBe(true);
    expect((await ours.create(draft)).id).toBe("605");
  });

  test("[ATP-LCK-004] [TASK-10] a .lock file at rest is no lock", async ({ layout }) => {
    mkdirSync(layout.tasks, { recursive: true });
    writeFileSync(layout.taskLock, "");
    const tasks = open(layout, { limits: quick });
    expect((await tasks.create(draft)).id).toBe("1");
    expect(await tasks.remove("1")).toBe(true);
    expect(readFileSync(layout.taskLock, "utf8")).toBe("");
  });

  test("[ATP-LCK-016] [ATP-LCK-101] [TASK-10] creating and removing wait for the lock of the list, a change of one task for that task's", async ({
    layout,
  }) => {
    await openWith(layout, 2);
    const tasks = open(layout, { limits: quick });
    const refused = (file: string) => ({ code: "lock_unavailable", details: { file } });
    mkdirSync(`${layout.taskLock}.lock`);
    for (const attempt of [
      () => tasks.create(draft),
      () => tasks.remove("1"),
      () => tasks.update("1", { addBlocks: ["2"] }),
    ]) {
      await expect(attempt()).rejects.toMatchObject(refused(layout.taskLock));
    }
    expect((await tasks.update("1", { subject: "new" })).subject).toBe("new");
    rmSync(`${layout.taskLock}.lock`, { recursive: true });

    mkdirSync(`${layout.task("1")}.lock`);
    for (const attempt of [
      () => tasks.update("1", { subject: "never" }),
      () => tasks.update("2", { addBlockedBy: ["1"] }),
      () => tasks.claim("1", "alice"),
      () => tasks.complete("1"),
      () => tasks.remove("1"),
    ]) {
      await expect(attempt()).rejects.toMatchObject(refused(layout.task("1")));
    }
    expect((await tasks.create(draft)).id).toBe("3");
    expect(read(layout, "1")).toMatchObject({ subject: "new", status: "pending", blocks: [] });
    expect(readdirSync(layout.tasks).filter((name) => name.endsWith(".lock"))).toEqual([".lock", "1.json.lock"]);
  });

  test("a team that is gone gets no task list back", async ({ layout }) => {
    rmSync(layout.directory, { recursive: true });
    await expect(open(layout).create(draft)).rejects.toMatchObject({ code: "lock_impossible" });
    expect(existsSync(layout.tasks)).toBe(false);
    expect(await open(layout).list()).toEqual({ tasks: [], problems: [] });
  });
});
