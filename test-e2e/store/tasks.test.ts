import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { codecFor, layoutOf, type Revision, revisions, type Task, type TeamLayout, taskIdOf } from "@troupe/protocol";
import type { Tasks } from "@troupe/store";
import { openTasks } from "@troupe/store/files";
import { describe, expect } from "vitest";
import { historyIn, isLinearisable, type Model } from "./history.ts";
import { saidBy, start, testInMemory as test } from "./processes.ts";

/** The directories of a team, without the team. */
function listIn(root: string): TeamLayout {
  const layout = layoutOf(root).team("storm");
  for (const directory of [layout.directory, layout.tasks]) mkdirSync(directory, { recursive: true });
  return layout;
}
const work = (task: object) => start("task-worker.mjs", task);

/** Every task as it stands on disk; throws for one that is not whole. */
const tasksIn = ({ tasks }: TeamLayout): Task[] =>
  readdirSync(tasks)
    .filter((name) => taskIdOf(name) !== undefined)
    .map((name) => JSON.parse(readFileSync(join(tasks, name), "utf8")) as Task);
const leftovers = ({ tasks }: TeamLayout): string[] =>
  readdirSync(tasks).filter((name) => !/^(\d+\.json|\.lock|\.highwatermark)$/.test(name));
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);
const idsIn = (layout: TeamLayout): number[] =>
  tasksIn(layout)
    .map(({ id }) => Number(id))
    .sort((a, b) => a - b);

/** A list with so many tasks in it. */
async function prepared(
  root: string,
  revision: Revision,
  count: number,
): Promise<{ layout: TeamLayout; tasks: Tasks }> {
  const layout = listIn(root);
  const tasks = openIn(layout, revision);
  for (const n of upTo(count)) await tasks.create({ subject: `${n}`, description: "" });
  return { layout, tasks };
}
const openIn = (layout: TeamLayout, revision: Revision, staleMs = 10_000): Tasks =>
  openTasks({
    layout,
    codec: codecFor(revision),
    limits: { deadlineMs: 30_000, staleMs },
    isMember: async () => true,
  });

test("[ATP-TSK-003] [ATP-LCK-016] eight processes that create at once get distinct ids, and every file is there", async ({
  root,
}) => {
  const layout = listIn(root);
  const eight = Array.from({ length: 8 }, () => work({ job: "create", revision: "2026-02", root, count: 60 }));
  const history = historyIn(await saidBy(eight, () => tasksIn(layout)));
  expect(history).toHaveLength(480);
  const counter: Model<number> = (highest, { output }) => (output === highest + 1 ? highest + 1 : undefined);
  expect(isLinearisable(history, 0, counter)).toBe(true);
  expect(idsIn(layout)).toEqual(upTo(480));
  expect(leftovers(layout)).toEqual([]);
});

test("[ATP-LCK-011] [ATP-TSK-004] [ATP-LCK-012] a process killed at any moment leaves whole files, keeps what it was told, and no id is given twice", async ({
  root,
}) => {
  const layout = listIn(root);
  const [given, removed]: [number[], number[]] = [[], []];
  for (let round = 0; round < 6; round += 1) {
    const churner = work({ job: "churn", revision: "2026-11", root, staleMs: 200 });
    await churner.heard(/./, round + 1);
    churner.child.kill("SIGKILL");
    for (const { input, output } of historyIn([await churner.said]))
      if (input === "create") given.push(output as number);
      else removed.push(Number(input.split(" ")[1]));
    const present = new Set(idsIn(layout));
    // Each round may have been killed between the removal of a task and the word that it is done.
    expect(given.filter((id) => !present.has(id) && !removed.includes(id)).length).toBeLessThanOrEqual(round + 1);
    expect(removed.filter((id) => present.has(id))).toEqual([]);
  }
  expect(new Set(given).size).toBe(given.length);
  const tasks = openIn(layout, "2026-11", 200);
  expect(Number((await tasks.create({ subject: "after", description: "" })).id)).toBeGreaterThan(Math.max(...given));
  expect((await tasks.list()).problems).toEqual([]);
});

describe.each(revisions)("%s", (revision: Revision) => {
  test("[ATP-TSK-012] [ATP-TSK-041] [ATP-TSK-042] eight processes that all want one task, and then the next until none is left, take each once and in order", async ({
    root,
  }) => {
    const { layout } = await prepared(root, revision, 120);
    const eight = upTo(8).map((n) => work({ job: "drain", revision, root, name: `agent-${n}` }));
    const history = historyIn(await saidBy(eight, () => tasksIn(layout)));
    const lowestFirst: Model<number> = (taken, { input, output }) => {
      if (input.startsWith("claim") && output !== "claimed") return taken > 0 ? taken : undefined;
      if (input.startsWith("claim")) return taken === 0 ? 1 : undefined;
      return output === (taken === 120 ? 0 : taken + 1) ? Math.min(120, taken + 1) : undefined;
    };
    expect(isLinearisable(history, 0, lowestFirst)).toBe(true);
    for (const { id, owner, status } of tasksIn(layout)) {
      expect(status).toBe("in_progress");
      const claim =
        id === "1" ? { input: `claim 1 ${owner}`, output: "claimed" } : { input: `next ${owner}`, output: Number(id) };
      expect(history).toContainEqual(expect.objectContaining(claim));
    }
    expect(leftovers(layout)).toEqual([]);
  });

  test("[ATP-TSK-042] [ATP-TSK-020] a task that eight processes take from each other and give back never has two owners", async ({
    root,
  }) => {
    const { layout } = await prepared(root, revision, 1);
    const eight = upTo(8).map((n) => work({ job: "juggle", revision, root, name: `agent-${n}`, count: 8 }));
    const history = historyIn(await saidBy(eight, () => tasksIn(layout)));
    const owned: Model<string> = (owner, { input, output }) => {
      const [what, ...words] = input.split(" ");
      const agent = words.at(-1) ?? "";
      if (what === "release") return output === true && owner === agent ? "" : undefined;
      if (output === "claimed") return owner === "" ? agent : undefined;
      return output === owner ? owner : undefined;
    };
    expect(history.filter(({ output }) => output === "claimed")).toHaveLength(64);
    expect(isLinearisable(history, "", owned)).toBe(true);
    expect(leftovers(layout)).toEqual([]);
  });

  test("[ATP-TSK-043] [ATP-TSK-036] completing tasks while another process makes others wait for them leaves nobody waiting", async ({
    root,
  }) => {
    const count = 20;
    const { layout, tasks } = await prepared(root, revision, 2 * count);
    const jobs = ["complete", "join", "join", "claim", "claim", "claim"];
    const workers = jobs.map((job, n) => work({ job, revision, root, name: `agent-${n}`, count }));
    const history = historyIn(await saidBy(workers, () => tasksIn(layout)));
    expect(history).toHaveLength(jobs.length * count);

    const pair: Model<{ isDone: boolean; waits: boolean; owner: string }> = (state, { input, output }) => {
      const [what, , agent = ""] = input.split(" ");
      if (what === "complete") return { ...state, isDone: true };
      if (what === "join") return { ...state, waits: true };
      const isBlocked = state.waits && !state.isDone;
      const expected = state.owner || (isBlocked ? "blocked" : "claimed");
      return output !== expected ? undefined : { ...state, owner: expected === "claimed" ? agent : state.owner };
    };
    for (const n of upTo(count)) {
      const touching = history.filter(({ input }) => [`${n}`, `${count + n}`].includes(input.split(" ")[1] ?? ""));
      expect(isLinearisable(touching, { isDone: false, waits: false, owner: "" }, pair), JSON.stringify(touching)).toBe(
        true,
      );
    }
    const found = new Map(tasksIn(layout).map((task) => [Number(task.id), task]));
    for (const n of upTo(count)) expect(found.get(n)).toMatchObject({ status: "completed", blocks: [`${count + n}`] });
    const free = [...found.values()].filter(({ status }) => status === "pending");
    expect((await tasks.ready()).map(({ id }) => id)).toEqual(
      free.map(({ id }) => id).sort((a, b) => Number(a) - Number(b)),
    );
    expect(leftovers(layout)).toEqual([]);
  });
});
