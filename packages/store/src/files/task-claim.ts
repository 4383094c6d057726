import { isClaimable, isTroupeError, lockOf, type Task } from "@troupe/protocol";
import { type Claim, holdsUp, inOrder, isThere, type ReadyTask, readyAmong, refusalOf } from "@troupe/protocol/rules";
import { changeOf, isPresent } from "./directory.ts";
import type { Held } from "./lock.ts";
import type { TaskList } from "./task-list.ts";

/**
 * Takes one task, or says why not. Whether its blockers of a moment ago still block it, and
 * everything else, is read again under the locks.
 */
export async function claimTask(
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

/** The tasks that were free a moment ago, without those taken since. */
interface Rest {
  readonly ready: readonly ReadyTask[];
  readonly at: number;
  /**
   * Another while something has happened since; undefined while others take too, and something
   * always happens.
   */
  readonly sign: string | undefined;
}

/**
 * The time after which everything is read again, whatever the signs: a program may write without a
 * lock.
 */
const trustedMs = 250;

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

  const signNow = () => `${changeOf(layout.tasks)} ${list.written()}`;

  function known(): Rest | undefined {
    if (!rest || performance.now() - rest.at > trustedMs) return undefined;
    return rest.sign === undefined || rest.sign === signNow() ? rest : undefined;
  }

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
    try {
      const claim = await claimTask(list, task, agent, deadlineMs);
      return claim.outcome === "claimed" ? claim.task : undefined;
    } catch (error) {
      if (isHurried && isTroupeError(error) && error.code === "lock_unavailable") return undefined;
      throw error;
    }
  }

  return async (agent) => {
    for (;;) {
      const old = known();
      const { at, ready } = old ?? { at: performance.now(), ready: readyAmong(await list.readAll()) };
      let isContended = old !== undefined && old.sign === undefined;
      rest = undefined;
      for (const deadlineMs of old ? [0] : [0, undefined]) {
        for (const [index, free] of ready.entries()) {
          const task = await takeIfFree(free, agent, deadlineMs);
          if (task) {
            rest = { at, ready: ready.slice(index + 1), sign: isContended ? undefined : signNow() };
            return task;
          }
          isContended = true;
        }
      }
      if (!old && ready.length === 0) return undefined;
    }
  };
}
