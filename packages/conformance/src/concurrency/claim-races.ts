import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Check, CheckContext } from "../check.ts";
import { makeTasks } from "../checks/teams.ts";
import { checkFailure } from "../fault.ts";
import { readFile } from "../reader/document.ts";
import type { Reply } from "../target.ts";
import { type Crew, makeCrew, together, watching } from "./crew.ts";
import { type Fields, taskAt, taskIdsIn } from "./documents.ts";
import { assertExplained } from "./explain.ts";
import { conventionOf, visibleLockOf } from "./foreign-lock.ts";
import type { Operation } from "./linearise.ts";
import { tasksModel } from "./models.ts";

const methods = ["team.create", "member.add", "task.create", "task.claim"];

const claim = ({ team }: Crew, { proc, name }: Crew["workers"][number], id: string): Promise<Reply> =>
  proc.call("task.claim", { team, id, agent: name });

/**
 * Holds the lock of a task until all callers wait for it; a target with other locks is raced
 * without.
 */
function gateOf(context: CheckContext, file: string): () => void {
  if (!visibleLockOf(context.declaration, file)) return () => {};
  const { release } = conventionOf(context.declaration).hold(file);
  return release;
}

/**
 * All workers claim one task at once. Half of the rounds begin behind a lock, so that all have read
 * before one may write.
 */
async function claimAtOnce(context: CheckContext, crew: Crew, id: string, isGated: boolean): Promise<readonly Reply[]> {
  const release = isGated ? gateOf(context, crew.places.task(id)) : () => {};
  const claiming = together(crew, (worker) => claim(crew, worker, id));
  if (isGated) await pause(30);
  release();
  return claiming;
}

function assertOneWinner(crew: Crew, replies: readonly Reply[], found: Fields): void {
  const winners = crew.workers.filter((_, index) => replies[index]?.outcome === "ok").map(({ name }) => name);
  if (winners.length !== 1) {
    throw checkFailure(`${winners.length} of ${replies.length} claimed one task`, { expected: 1, actual: winners });
  }
  const others = replies.filter((reply) => reply.outcome === "fail" && reply.error.name !== "conflict");
  if (others.length > 0) throw checkFailure("a loser was not answered with conflict", { actual: others });
  if (found["owner"] === winners[0] && found["status"] === "in_progress") return;
  throw checkFailure("the file does not name the winner", {
    expected: { owner: winners[0], status: "in_progress" },
    actual: found,
  });
}

const claimRace: Check = {
  id: "TSK-CLAIM/a",
  title: "of eight who claim one task at once one gets it, and the others change nothing",
  requirements: ["ATP-TSK-042"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods },
  async run(context) {
    const crew = await makeCrew(context);
    const rounds = context.isQuick ? 14 : 150;
    for (let round = 0; round < rounds; round += 1) {
      const [id = ""] = await makeTasks(context, crew.team, 1);
      const replies = await claimAtOnce(context, crew, id, round % 2 === 1);
      const path = crew.places.task(id);
      assertOneWinner(crew, replies, taskAt(context, path));
      const before = readFileSync(path, "utf8");
      const late = await together(crew, (worker) => claim(crew, worker, id));
      const takers = late.filter(({ outcome }) => outcome === "ok");
      const after = readFileSync(path, "utf8");
      // The winner may be told once more that the task is its own.
      if (takers.length > 1 || before !== after) {
        throw checkFailure("a task that was taken was changed by another claim", { expected: before, actual: after });
      }
    }
    return { rounds };
  },
};

const claimInOneStep: Check = {
  id: "TSK-CLAIM/b",
  title: "no reader ever sees a claimed task with an owner and no start, or started by nobody",
  requirements: ["ATP-TSK-041"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods },
  async run(context) {
    const crew = await makeCrew(context, { size: 2 });
    const ids = await makeTasks(context, crew.team, context.isQuick ? 40 : 400);
    let at = 0;
    const work = together(crew, async (worker) => {
      for (const id of ids) {
        at = ids.indexOf(id);
        await claim(crew, worker, id);
      }
    });
    await watching(work, () => {
      const task = readFile(crew.places.task(ids[at] ?? ""))?.value as Fields | undefined;
      if (!task || (task["status"] === "in_progress") === (task["owner"] !== undefined)) return;
      throw checkFailure("a task was seen between two steps of a claim", { actual: task });
    });
    const free = ids.filter((id) => taskAt(context, crew.places.task(id))["status"] !== "in_progress");
    if (free.length > 0) throw checkFailure("tasks were claimed and are free", { actual: free });
    return undefined;
  },
};

const drain: Check = {
  id: "TSK-CLAIM/c",
  title: "eight who take the next task until there is none have each task once, and leave none",
  requirements: ["ATP-TSK-042"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods },
  async run(context) {
    const crew = await makeCrew(context);
    const ids = await makeTasks(context, crew.team, context.isQuick ? 80 : 600);
    const taken = await together(crew, async ({ proc, name }) => {
      const own: string[] = [];
      for (;;) {
        const { claimed, task } = await context.ok("task.claim", { team: crew.team, agent: name }, proc);
        if (claimed !== true) return own;
        own.push(String((task as Fields | undefined)?.["id"]));
        if (own.length > ids.length) throw checkFailure("tasks are given out without end", { actual: own });
      }
    });
    const all = taken.flat();
    const doubled = all.filter((id, index) => all.indexOf(id) !== index);
    if (doubled.length > 0) throw checkFailure(`${doubled.length} tasks were given to two`, { actual: taken });
    const left = taskIdsIn(crew.places.tasks).filter(
      (id) => taskAt(context, crew.places.task(id))["status"] === "pending",
    );
    if (left.length > 0 || all.length !== ids.length) {
      throw checkFailure(`${left.length} free tasks were left`, { expected: ids.length, actual: all.length });
    }
    return { tasks: all.length };
  },
};

const lowestFirst: Check = {
  id: "TSK-CLAIM/d",
  title: "who takes the next task gets the lowest that is free",
  requirements: ["ATP-TSK-012"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods },
  async run(context) {
    const { team, workers } = await makeCrew(context, { size: 1 });
    const ids = await makeTasks(context, team, 11);
    const [taken, agent] = [[] as unknown[], workers[0]?.name ?? ""];
    for (const _ of ids) taken.push((await context.ok("task.claim", { team, agent }))["task"]);
    const found = taken.map((task) => (task as Fields | undefined)?.["id"]);
    if (found.join() === ids.join()) return undefined;
    throw checkFailure("tasks were not offered in the order of their ids", { expected: ids, actual: found });
  },
};

/** The state on disk after all work, as one more answer that the history must explain. */
function observed(context: CheckContext, crew: Crew, ids: readonly string[]): Operation {
  const tasks = ids.map((id) => {
    const { status, owner = null } = taskAt(context, crew.places.task(id));
    return [id, { status, owner }] as const;
  });
  const now = performance.now();
  return { op: "observe", args: { tasks: Object.fromEntries(tasks) }, call: now, ret: now, outcome: "ok" };
}

const claimAgainstCompletion: Check = {
  id: "TSK-CLAIM/e",
  title:
    "claiming, completing what is waited for, giving back and making wait have an order that explains every answer",
  requirements: ["ATP-TSK-037", "ATP-TSK-043"],
  level: "L2",
  revisions: ["2026-02", "2026-11"],
  needs: { methods: [...methods, "task.update"] },
  async run(context) {
    const crew = await makeCrew(context);
    const { team } = crew;
    const rounds = context.isQuick ? 12 : 150;
    for (let round = 0; round < rounds; round += 1) {
      const [blocker = "", waiting = "", late = ""] = await makeTasks(context, team, 3);
      await context.ok("task.update", { team, id: waiting, addBlockedBy: [blocker] });
      const from = context.history.length;
      const [someone] = crew.workers;
      if (someone) await claim(crew, someone, waiting);
      await together(crew, async (worker, index) => {
        const { proc } = worker;
        if (index === 0) return context.ok("task.update", { team, id: blocker, status: "completed" }, proc);
        if (index === 1) return context.ok("task.update", { team, id: waiting, addBlockedBy: [late] }, proc);
        if (index === 2) return context.ok("task.update", { team, id: late, status: "completed" }, proc);
        const first = await claim(crew, worker, waiting);
        if (first.outcome === "ok") return context.ok("task.update", { team, id: waiting, owner: null }, proc);
        return claim(crew, worker, waiting);
      });
      const pending = { status: "pending", after: [] };
      const model = tasksModel({
        [blocker]: pending,
        [late]: pending,
        [waiting]: { ...pending, after: [blocker] },
      });
      const calls = [...context.history.slice(from), observed(context, crew, [blocker, late, waiting])];
      assertExplained(calls, model, `no order of the calls of round ${round + 1} explains their answers`);
    }
    return { rounds };
  },
};

export const claimRaces: readonly Check[] = [claimRace, claimInOneStep, drain, lowestFirst, claimAgainstCompletion];
