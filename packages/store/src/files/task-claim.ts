import { isClaimable, isInternal, isTroupeError, lockOf, openBlockersOf, type Task } from "@troupe/protocol";
import type { Claim } from "../store.ts";
import { changeOf, isPresent } from "./directory.ts";
import { blockersIn, inOrder } from "./edges.ts";
import type { TaskFile } from "./task-directory.ts";
import { isOpen, isThere, type Locks, type TaskList, tasksOf } from "./task-list.ts";

/** What somebody could take, lowest id first. What must not be rewritten cannot be taken. */
export function readyAmong(files: readonly TaskFile[]): Task[] {
  const unreadable = files.filter(({ read }) => !read.value).map(({ id }) => id);
  const blockers = openBlockersOf([...tasksOf(files).values()], unreadable);
  return files.flatMap(({ id, read: { value, isWritable } }) =>
    value && isWritable && isClaimable(value, blockers.get(id)) ? [value] : [],
  );
}

/**
 * Takes one task, or says why not. `named` are those that said a moment ago that they block this one; whether they still do, and everything
 * else, is read again under the locks.
 */
export async function claimTask(
  list: TaskList,
  named: readonly string[],
  id: string,
  agent: string,
  deadlineMs?: number,
): Promise<Claim> {
  const { directory, codec } = list;
  for (let isShared = named.length > 0; ; isShared = true) {
    const work = (locks: Locks): Claim | undefined => {
      const file = directory.look(id);
      if (!isThere(file)) return { outcome: "absent" };
      const { task, read } = list.demand(id, file);
      if (isInternal(task)) return { outcome: "absent" };
      const isForAgent = !task.owner || task.owner === agent;
      if (task.status !== "pending" || !isForAgent) return { outcome: "taken", owner: task.owner };
      const blockers = inOrder([...named, ...(task.blockedBy ?? [])]);
      if (blockers.length > 0 && !isShared) return undefined;
      const by = blockers.filter((blocker) => holdsUp(directory.look(blocker), task));
      if (by.length > 0) return { outcome: "blocked", by };
      const document = codec.amendTask(read, { owner: agent, status: "in_progress" });
      return { outcome: "claimed", task: list.write(locks, id, document) };
    };
    const claim = await list.holding([id], isShared ? "list and tasks" : "tasks", work, deadlineMs);
    if (claim) return claim;
  }
}

function holdsUp(blocker: TaskFile | undefined, { id, blockedBy }: Task): boolean {
  if (!blocker || !isOpen(blocker)) return false;
  const { value } = blocker.read;
  return !value || (blockedBy?.includes(blocker.id) ?? false) || (value.blocks?.includes(id) ?? false);
}

/** What is free, as it was a moment ago. */
interface Scan {
  readonly ready: readonly string[];
  readonly blockers: ReadonlyMap<string, readonly string[]>;
  readonly at: number;
}

/** What of it is left for the next time, and how to tell that nothing has happened since. */
interface Rest extends Scan {
  readonly isContended: boolean;
  readonly mtimeMs: number;
  readonly written: number;
}

/** After this everything is looked at again, whatever the signs: somebody may write without a lock. */
const trustedMs = 250;

/**
 * Takes the lowest ready task, for one of any number who ask at once. A task that somebody is changing at this moment is most likely being
 * taken: nobody queues for it while there is another, or all who ask would go through each task one after the other. What was seen
 * serves again while nobody else has changed the directory, as every locked change does; and for a moment while others take too.
 */
export function openClaiming(list: TaskList): (agent: string) => Promise<Task | undefined> {
  const { directory, layout } = list;
  let rest: Rest | undefined;

  async function scan(): Promise<Scan> {
    const at = performance.now();
    const files = await directory.readAll();
    return { ready: readyAmong(files).map(({ id }) => id), blockers: blockersIn(tasksOf(files).values()), at };
  }

  function known(): Rest | undefined {
    if (!rest || performance.now() - rest.at > trustedMs || rest.written !== list.written()) return undefined;
    return rest.isContended || rest.mtimeMs === changeOf(layout.tasks) ? rest : undefined;
  }

  function isFree(id: string): boolean {
    const task = directory.look(id)?.read.value;
    return task !== undefined && isClaimable(task);
  }

  async function takeIfFree(id: string, named: readonly string[], agent: string, deadlineMs: number | undefined) {
    const isHurried = deadlineMs === 0;
    if (isHurried ? isPresent(lockOf(layout.task(id))) || !directory.isAsSeen(id) : !isFree(id)) return undefined;
    try {
      const claim = await claimTask(list, named, id, agent, deadlineMs);
      return claim.outcome === "claimed" ? claim.task : undefined;
    } catch (error) {
      if (isHurried && isTroupeError(error) && error.code === "lock_unavailable") return undefined;
      throw error;
    }
  }

  return async (agent) => {
    for (;;) {
      const old = known();
      const seen = old ?? (await scan());
      let isContended = old?.isContended ?? false;
      rest = undefined;
      for (const deadlineMs of old ? [0] : [0, undefined]) {
        for (const [index, id] of seen.ready.entries()) {
          const task = await takeIfFree(id, seen.blockers.get(id) ?? [], agent, deadlineMs);
          if (!task) isContended = true;
          else {
            const signs = { isContended, mtimeMs: changeOf(layout.tasks), written: list.written() };
            rest = { ...seen, ...signs, ready: seen.ready.slice(index + 1) };
            return task;
          }
        }
      }
      if (!old && seen.ready.length === 0) return undefined;
    }
  };
}
