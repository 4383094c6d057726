import { setTimeout as pause } from "node:timers/promises";
import { isClaimable, isTroupeError, lockOf, type Task } from "@troupe/protocol";
import { type Claim, holdsUp, inOrder, isThere, type ReadyTask, readyAmong, refusalOf } from "@troupe/protocol/rules";
import { changeOf, isPresent } from "./directory.ts";
import type { Held } from "./lock.ts";
import type { TaskList } from "./task-list.ts";

/**
 * Takes one task, or says why not. Whether its blockers of a moment ago still block it, and
 * everything else, is read again under the locks.
 */
async function claimTask(
  list: TaskList,
  { id, blockers: named }: Omit<ReadyTask, "task">,
  agent: string,
  deadlineMs?: number,
) {
  for (let isShared = named.length > 0; ; isShared = true) {
    const work = (held: Held): Claim | undefined => {
      const file = list.look(id);
      if (!isThere(file)) return { outcome: "absent" };
      const task = list.demand(id, file);
      const refusal = refusalOf(task, agent);
      if (refusal) return refusal;
      const blockers = inOrder([...named, ...(task.blockedBy ?? [])]);
      if (blockers.length > 0 && !isShared) return undefined;
      const by = blockers.filter((blocker) => holdsUp(list.look(blocker), task));
      if (by.length > 0) return { outcome: "blocked", by };
      const document = list.codec.amendTask(file.read, { owner: agent, status: "in_progress" });
      return { outcome: "claimed", task: list.write(held, id, document) };
    };
    const claim = await list.holding([id], isShared ? "list and tasks" : "tasks", work, deadlineMs);
    if (claim) return claim;
  }
}

/** The same while nobody holds the lock; undefined, at once, while somebody does. */
async function claimAtOnce(list: TaskList, task: Omit<ReadyTask, "task">, agent: string): Promise<Claim | undefined> {
  try {
    return await claimTask(list, task, agent, 0);
  } catch (error) {
    if (isTroupeError(error) && error.code === "lock_unavailable") return undefined;
    throw error;
  }
}

/** A look at the whole list, for as long as it is relied on. */
interface Sight {
  readonly at: number;
  /**
   * Another while something has happened since; undefined while others take too, and something
   * always happens.
   */
  readonly sign: string | undefined;
}

/** The tasks that were free a moment ago, without those taken since. */
interface Rest extends Sight {
  readonly ready: readonly ReadyTask[];
}

/** The tasks that were free a moment ago, and those that hold up others, by the id that waits. */
interface Edges extends Sight {
  readonly free: ReadonlySet<string>;
  readonly blockers: ReadonlyMap<string, readonly string[]>;
}

/**
 * The time after which everything is read again, whatever the signs: a program may write without a
 * lock.
 */
const trustedMs = 250;

const signOf = (list: TaskList): string => `${changeOf(list.layout.tasks)} ${list.written()}`;

/** What was seen, while it is relied on. */
function known<T extends Sight>(list: TaskList, sight: T | undefined): T | undefined {
  if (!sight || performance.now() - sight.at > trustedMs) return undefined;
  return sight.sign === undefined || sight.sign === signOf(list) ? sight : undefined;
}

/** So often somebody who holds the lock of a task is waited for by looking at it. */
const looks = 4;

/**
 * Takes a given task, or says why not. While another process changes it nobody queues for its lock,
 * but looks again: most likely it is being taken, and a look refuses it then. Edges that stand on
 * the other side alone are looked for in the whole list, as often as for the next free task.
 */
export function openClaimingGiven(list: TaskList): (id: string, agent: string) => Promise<Claim> {
  let edges: Edges | undefined;

  async function look(): Promise<Edges> {
    const [at, sign] = [performance.now(), signOf(list)];
    const free = new Set<string>();
    const blockers = new Map<string, string[]>();
    for (const { id, read } of await list.readAll()) {
      if (read.value && isClaimable(read.value)) free.add(id);
      for (const waiting of read.value?.blocks ?? []) {
        const others = blockers.get(waiting) ?? [];
        others.push(id);
        blockers.set(waiting, others);
      }
    }
    return { at, sign, free, blockers };
  }

  /** A lock that is there is not asked for: to be refused costs far more than to look. */
  const claimIfFree = async (task: Omit<ReadyTask, "task">, agent: string) =>
    isPresent(lockOf(list.layout.task(task.id))) ? undefined : claimAtOnce(list, task, agent);

  return async (id, agent) => {
    for (let n = 0; ; n += 1) {
      const file = list.look(id);
      if (!isThere(file)) return { outcome: "absent" };
      const refusal = file.read.value && refusalOf(file.read.value, agent);
      if (refusal) {
        if (edges?.free.has(id)) edges = { ...edges, sign: undefined };
        return refusal;
      }
      const seen = known(list, edges) ?? (await look());
      const task = { id, blockers: seen.blockers.get(id) ?? [] };
      const claim = await (n < looks ? claimIfFree(task, agent) : claimTask(list, task, agent));
      const isAlone = seen.sign !== undefined && claim?.outcome === "claimed";
      edges = { ...seen, sign: isAlone ? signOf(list) : undefined };
      if (claim) return claim;
      await pause(1 + Math.random() * 4);
    }
  };
}

/**
 * Takes the lowest ready task, for any number of callers at once. A task that another process is
 * changing right now is most likely being taken: no caller queues for it while there is another
 * task, or all callers would go through each task one after the other. An earlier look is reused
 * while no other process has changed the directory, as every locked change does, and for a moment
 * while others take too.
 */
export function openClaiming(list: TaskList): (agent: string) => Promise<Task | undefined> {
  const { layout } = list;
  let rest: Rest | undefined;

  /**
   * A quick look that costs no lock: a caller in a hurry skips tasks that another process is
   * changing or has changed.
   */
  function isFree(id: string, isHurried: boolean): boolean {
    if (isHurried) return !isPresent(lockOf(layout.task(id))) && list.isAsSeen(id);
    const task = list.look(id)?.read.value;
    return task !== undefined && isClaimable(task);
  }

  async function takeIfFree(task: ReadyTask, agent: string, deadlineMs: number | undefined) {
    const isHurried = deadlineMs === 0;
    if (!isFree(task.id, isHurried)) return undefined;
    const claim = await (isHurried ? claimAtOnce : claimTask)(list, task, agent);
    return claim?.outcome === "claimed" ? claim.task : undefined;
  }

  return async (agent) => {
    for (;;) {
      const old = known(list, rest);
      const { at, ready } = old ?? { at: performance.now(), ready: readyAmong(await list.readAll()) };
      let isContended = old !== undefined && old.sign === undefined;
      rest = undefined;
      for (const deadlineMs of old ? [0] : [0, undefined]) {
        for (const [index, free] of ready.entries()) {
          const task = await takeIfFree(free, agent, deadlineMs);
          if (task) {
            rest = { at, ready: ready.slice(index + 1), sign: isContended ? undefined : signOf(list) };
            return task;
          }
          isContended = true;
        }
      }
      if (!old && ready.length === 0) return undefined;
    }
  };
}
