import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codecFor, layoutOf, revisions, type Task } from "@troupe/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Tasks } from "../store.ts";
import { openTasks } from "./tasks.ts";

interface Expected {
  subject: string;
  status: "pending" | "in_progress" | "completed";
  owner: string | undefined;
}

/** A model of a task list, without files, locks or revisions. */
function createModel() {
  const tasks = new Map<number, Expected>();
  /** `a>b`: b waits for a. */
  const edges = new Set<string>();
  let highest = 0;

  const blockersOf = (id: number) =>
    [...tasks.keys()].filter((other) => edges.has(`${other}>${id}`) && tasks.get(other)?.status !== "completed");
  const isReady = (id: number) =>
    tasks.get(id)?.status === "pending" && !tasks.get(id)?.owner && blockersOf(id).length === 0;
  const reaches = (from: number, to: number): boolean =>
    from === to || [...tasks.keys()].some((next) => edges.has(`${from}>${next}`) && reaches(next, to));
  const ready = () =>
    [...tasks.keys()]
      .filter(isReady)
      .sort((a, b) => a - b)
      .map(String);

  return {
    ready,
    listed: () => [...tasks].sort(([a], [b]) => a - b).map(([id, task]) => ({ id: String(id), ...task })),
    edges: () => [...edges].sort(),
    create(subject: string) {
      highest += 1;
      tasks.set(highest, { subject, status: "pending", owner: undefined });
      return String(highest);
    },
    update(id: number, change: Partial<Expected>) {
      const task = tasks.get(id);
      if (!task) return "task_unknown";
      const isStart = change.status === "in_progress" && task.status !== "in_progress";
      if (isStart && blockersOf(id).length > 0) return "task_blocked";
      Object.assign(task, change);
      return "done";
    },
    join(blocker: number, waiting: number) {
      if (!tasks.has(blocker) || !tasks.has(waiting)) return "task_unknown";
      if (!edges.has(`${blocker}>${waiting}`) && reaches(waiting, blocker)) return "task_cyclic";
      edges.add(`${blocker}>${waiting}`);
      return "done";
    },
    claim(id: number, agent: string) {
      const task = tasks.get(id);
      if (!task) return "absent";
      if (task.status !== "pending" || (task.owner && task.owner !== agent)) return "taken";
      if (blockersOf(id).length > 0) return "blocked";
      Object.assign(task, { status: "in_progress", owner: agent });
      return "claimed";
    },
    claimNext(agent: string) {
      const [id] = ready();
      if (id !== undefined) Object.assign(tasks.get(Number(id)) ?? {}, { status: "in_progress", owner: agent });
      return id;
    },
    release(id: number, agent: string | undefined) {
      const task = tasks.get(id);
      if (!task || task.status === "completed" || (task.status === "pending" && !task.owner)) return false;
      if (agent !== undefined && task.owner !== agent) return false;
      Object.assign(task, { status: "pending", owner: undefined });
      return true;
    },
    remove(id: number) {
      for (const edge of edges) if (edge.split(">").includes(String(id))) edges.delete(edge);
      return tasks.delete(id);
    },
  };
}

const id = fc.integer({ min: 1, max: 6 });
const agent = fc.constantFrom("alice", "bob");
const operation = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("create" as const), subject: fc.string() }) },
  fc.record({ kind: fc.constant("subject" as const), id, subject: fc.string() }),
  fc.record({ kind: fc.constant("owner" as const), id, owner: agent }),
  fc.record({ kind: fc.constant("status" as const), id, status: fc.constantFrom("pending", "in_progress") }),
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("join" as const), blocker: id, waiting: id, isMirrored: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("claim" as const), id, agent }) },
  fc.record({ kind: fc.constant("claimNext" as const), agent }),
  fc.record({ kind: fc.constant("release" as const), id, agent: fc.option(agent, { nil: undefined }) }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("complete" as const), id }) },
  fc.record({ kind: fc.constant("remove" as const), id }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;
type Model = ReturnType<typeof createModel>;

const outcome = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => "done",
    (error: { code?: unknown }) => error.code ?? error,
  );

/** Does one thing to both, and returns how either says that it ended. */
async function perform(step: Operation, tasks: Tasks, model: Model): Promise<[unknown, unknown]> {
  switch (step.kind) {
    case "create":
      return [(await tasks.create({ subject: step.subject, description: "" })).id, model.create(step.subject)];
    case "subject":
      return [
        await outcome(tasks.update(`${step.id}`, { subject: step.subject })),
        model.update(step.id, { subject: step.subject }),
      ];
    case "owner":
      return [
        await outcome(tasks.update(`${step.id}`, { owner: step.owner })),
        model.update(step.id, { owner: step.owner }),
      ];
    case "status":
      return [
        await outcome(tasks.update(`${step.id}`, { status: step.status })),
        model.update(step.id, { status: step.status }),
      ];
    case "join": {
      const { blocker, waiting, isMirrored } = step;
      const attempt = isMirrored
        ? tasks.update(`${blocker}`, { addBlocks: [`${waiting}`] })
        : tasks.update(`${waiting}`, { addBlockedBy: [`${blocker}`] });
      return [await outcome(attempt), model.join(blocker, waiting)];
    }
    case "claim":
      return [(await tasks.claim(`${step.id}`, step.agent)).outcome, model.claim(step.id, step.agent)];
    case "claimNext":
      return [(await tasks.claimNext(step.agent))?.id, model.claimNext(step.agent)];
    case "release":
      return [await tasks.release(`${step.id}`, step.agent), model.release(step.id, step.agent)];
    case "complete":
      return [await outcome(tasks.complete(`${step.id}`)), model.update(step.id, { status: "completed" })];
    case "remove":
      return [await tasks.remove(`${step.id}`), model.remove(step.id)];
  }
}

const edgesOf = (tasks: readonly Task[]): { either: string[]; both: string[] } => {
  const blocks = tasks.flatMap(({ id: from, blocks: to = [] }) => to.map((one) => `${from}>${one}`));
  const blockedBy = tasks.flatMap(({ id: to, blockedBy: from = [] }) => from.map((one) => `${one}>${to}`));
  return {
    either: [...new Set([...blocks, ...blockedBy])].sort(),
    both: blocks.filter((edge) => blockedBy.includes(edge)).sort(),
  };
};

describe.each(revisions)("%s", (revision) => {
  test("[ATP-TSK-017] [ATP-TSK-034] [TASK-13] whatever two handles are asked one after the other, the files say what a plain map says", async () => {
    const root = mkdtempSync(join(tmpdir(), "troupe-model-"));
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(operation, fc.nat(1)), { minLength: 15, maxLength: 40 }), async (steps) => {
        run += 1;
        const layout = layoutOf(root).team(`team-${run}`);
        mkdirSync(layout.directory, { recursive: true });
        const codec = codecFor(revision);
        const handles = [0, 1].map(() => openTasks({ layout, codec, isMember: async () => true }));
        const model = createModel();
        for (const [step, which] of steps) {
          const [got, expected] = await perform(step, handles[which] as Tasks, model);
          expect(got, JSON.stringify(step)).toEqual(expected);
        }
        for (const tasks of handles) {
          const { tasks: listed, problems } = await tasks.list();
          expect(problems).toEqual([]);
          expect(listed.map(({ id, subject, status, owner }) => ({ id, subject, status, owner }))).toEqual(
            model.listed(),
          );
          expect((await tasks.ready()).map((task) => task.id)).toEqual(model.ready());
          const { either, both } = edgesOf(listed);
          expect(either).toEqual(model.edges());
          const done = new Set(listed.filter(({ status }) => status === "completed").map((task) => task.id));
          const isHistory = (edge: string) => revision === "2026-02" && done.has(edge.split(">")[0] ?? "");
          expect(both.filter((edge) => !isHistory(edge))).toEqual(model.edges().filter((edge) => !isHistory(edge)));
        }
      }),
      { numRuns: 25 },
    );
    rmSync(root, { recursive: true });
  });
});
