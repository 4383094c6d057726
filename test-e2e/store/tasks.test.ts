import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codecFor, layoutOf, type Revision, revisions, type Task, type TeamLayout, taskIdOf } from "@troupe/protocol";
import { openTasks } from "@troupe/store";
import { test as base, describe, expect } from "vitest";

const worker = join(import.meta.dirname, "task-worker.mjs");
const test = base.extend<{ root: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the parameters of a fixture from its pattern
  root: async ({}, use) => {
    const root = mkdtempSync(join(tmpdir(), "troupe-storm-"));
    mkdirSync(layoutOf(root).team("storm").tasks, { recursive: true });
    mkdirSync(layoutOf(root).team("storm").directory, { recursive: true });
    await use(root);
    rmSync(root, { recursive: true });
  },
});

interface Running {
  readonly child: ChildProcess;
  /** What it said, once it has ended. */
  readonly said: Promise<string[]>;
}

function start(...args: (string | number)[]): Running {
  const child = spawn(process.execPath, [worker, ...args.map(String)], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const said = new Promise<string[]>((resolve) => child.once("close", () => resolve(text.split("\n").filter(Boolean))));
  return { child, said };
}

const eight = (job: string, ...args: (string | number)[]): Promise<string[][]> => {
  const [revision, root, ...rest] = args as [string, string];
  return Promise.all(Array.from({ length: 8 }, (_, n) => start(job, revision, root, `agent-${n}`, ...rest).said));
};

/** Every task as it stands on disk; throws for one that is not whole. */
const tasksIn = ({ tasks }: TeamLayout): Task[] =>
  readdirSync(tasks)
    .filter((name) => taskIdOf(name) !== undefined)
    .map((name) => JSON.parse(readFileSync(join(tasks, name), "utf8")) as Task);
const leftovers = ({ tasks }: TeamLayout): string[] =>
  readdirSync(tasks).filter((name) => !/^(\d+\.json|\.lock|\.highwatermark)$/.test(name));
const numbers = (count: number): string[] => Array.from({ length: count }, (_, n) => String(n + 1)).sort();

const openIn = (root: string, revision: Revision, staleMs = 10_000) =>
  openTasks({
    layout: layoutOf(root).team("storm"),
    codec: codecFor(revision),
    limits: { deadlineMs: 30_000, staleMs },
    isMember: async () => true,
  });

test("[ATP-TSK-003] [ATP-LCK-016] eight processes that create at once get distinct ids, and every file is there", async ({
  root,
}) => {
  const layout = layoutOf(root).team("storm");
  const said = await eight("create", "2026-02", root, 100, 10_000);
  expect(said.map(({ length }) => length)).toEqual(Array(8).fill(100));
  expect(said.flat().sort()).toEqual(numbers(800));
  expect(
    tasksIn(layout)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(numbers(800));
  expect(leftovers(layout)).toEqual([]);
}, 60_000);

test("[ATP-LCK-011] [ATP-TSK-004] [ATP-LCK-012] a process killed at any moment leaves whole files, keeps what it was told, and no id is given twice", async ({
  root,
}) => {
  const layout = layoutOf(root).team("storm");
  const given: string[] = [];
  const removed: string[] = [];
  for (let round = 0; round < 6; round += 1) {
    const { child, said } = start("churn", "2026-11", root, `round-${round}`, 0, 200);
    let lines = 0;
    child.stdout?.on("data", (chunk: Buffer) => {
      lines += chunk.toString().split("\n").length - 1;
      if (lines > round) child.kill("SIGKILL");
    });
    for (const [what, ...ids] of (await said).map((line) => line.split(" ")))
      (what === "given" ? given : removed).push(...ids);
    const present = new Set(tasksIn(layout).map(({ id }) => id));
    expect(given.filter((id) => !present.has(id) && !removed.includes(id)).length).toBeLessThanOrEqual(round + 1);
    expect(removed.filter((id) => present.has(id))).toEqual([]);
  }
  expect(new Set(given).size).toBe(given.length);
  const tasks = openIn(root, "2026-11", 200);
  const highest = Math.max(...given.map(Number));
  expect(Number((await tasks.create({ subject: "after", description: "" })).id)).toBeGreaterThan(highest);
  expect((await tasks.list()).problems).toEqual([]);
}, 60_000);

describe.each(revisions)("%s", (revision: Revision) => {
  test("[ATP-TSK-012] [ATP-TSK-041] [ATP-TSK-042] eight processes that all want one task, and then the next until none is left, take each once and in order", async ({
    root,
  }) => {
    const layout = layoutOf(root).team("storm");
    const tasks = openIn(root, revision);
    for (let n = 0; n < 200; n += 1) await tasks.create({ subject: `${n}`, description: "" });
    const said = await eight("drain", revision, root, 0, 10_000);
    expect(said.flat().sort()).toEqual(numbers(200));
    for (const taken of said) expect(taken).toEqual([...taken].sort((a, b) => Number(a) - Number(b)));
    for (const { id, owner, status } of tasksIn(layout)) {
      expect([id, status]).toEqual([id, "in_progress"]);
      expect(said[Number(owner?.replace("agent-", ""))]).toContain(id);
    }
    expect(leftovers(layout)).toEqual([]);
  }, 60_000);

  test("[ATP-TSK-043] [ATP-TSK-036] completing tasks while another process makes others wait for them leaves nobody waiting", async ({
    root,
  }) => {
    const layout = layoutOf(root).team("storm");
    const tasks = openIn(root, revision);
    for (let n = 0; n < 40; n += 1) await tasks.create({ subject: `${n}`, description: "" });
    const running = ["complete", "join", "join"].map((job, n) => start(job, revision, root, `agent-${n}`, 20, 10_000));
    const said = await Promise.all(running.map((one) => one.said));
    expect(said.map(({ length }) => length)).toEqual([20, 20, 20]);
    expect((await tasks.ready()).map(({ id }) => id)).toEqual(
      numbers(40)
        .map(Number)
        .sort((a, b) => a - b)
        .slice(20)
        .map(String),
    );
    const found = new Map(tasksIn(layout).map((task) => [task.id, task]));
    for (let n = 1; n <= 20; n += 1) {
      expect(found.get(String(n))).toMatchObject({ status: "completed", blocks: [String(n + 20)] });
    }
    expect(leftovers(layout)).toEqual([]);
  }, 60_000);
});
