import { existsSync } from "node:fs";
import { isClaimable, isInternal, lockOf, openBlockersOf, type Task } from "@troupe/protocol";
import type { Claim } from "../store.ts";
import { edgesAt, inOrder } from "./edges.ts";
import type { TaskFile } from "./task-directory.ts";
import { isOpen, isThere, type TaskList, tasksOf } from "./task-list.ts";

/** What somebody could take, lowest id first. What must not be rewritten cannot be taken. */
export function readyAmong(files: readonly TaskFile[]): Task[] {
  const unreadable = files.filter(({ read }) => !read.value).map(({ id }) => id);
  const blockers = openBlockersOf([...tasksOf(files).values()], unreadable);
  return files.flatMap(({ id, read: { value, isWritable } }) =>
    value && isWritable && isClaimable(value, blockers.get(id)) ? [value] : [],
  );
}

/**
 * Takes one task, or says why not. `files` is the list as it was seen a moment ago: it tells which tasks say that they block this one;
 * whether they still do, and everything else, is read again under the locks.
 */
export async function claimTask(list: TaskList, files: readonly TaskFile[], id: string, agent: string): Promise<Claim> {
  const { directory, codec } = list;
  const edges = edgesAt(id, tasksOf(files));
  const seen = edges.filter(({ waiting }) => waiting === id).map(({ blocker }) => blocker);
  for (let isShared = seen.length > 0; ; isShared = true) {
    if (!isThere(directory.look(id))) return { outcome: "absent" };
    const claim = await list.holding([id], isShared ? "list and tasks" : "tasks", (locks): Claim | undefined => {
      if (!isThere(directory.look(id))) return { outcome: "absent" };
      const { task, read } = list.demand(id);
      if (isInternal(task)) return { outcome: "absent" };
      const isForAgent = !task.owner || task.owner === agent;
      if (task.status !== "pending" || !isForAgent) return { outcome: "taken", owner: task.owner };
      const blockers = inOrder([...seen, ...(task.blockedBy ?? [])]);
      if (blockers.length > 0 && !isShared) return undefined;
      const by = blockers.filter((blocker) => holdsUp(directory.look(blocker), task));
      if (by.length > 0) return { outcome: "blocked", by };
      const document = codec.amendTask(read, { owner: agent, status: "in_progress" });
      return { outcome: "claimed", task: list.write(locks, id, document) };
    });
    if (claim) return claim;
  }
}

function holdsUp(blocker: TaskFile | undefined, { id, blockedBy }: Task): boolean {
  if (!blocker || !isOpen(blocker)) return false;
  const { value } = blocker.read;
  return !value || (blockedBy?.includes(blocker.id) ?? false) || (value.blocks?.includes(id) ?? false);
}

/**
 * The lowest ready task, for one of any number who ask at once. A task that somebody is changing at this moment is most likely being
 * taken: nobody queues for it while there is another, or all who ask would go through each task one after the other.
 */
export async function claimNext(list: TaskList, agent: string): Promise<Task | undefined> {
  const { directory, layout } = list;
  for (;;) {
    const files = await directory.readAll();
    const ready = readyAmong(files);
    if (ready.length === 0) return undefined;
    for (const isPatient of [false, true]) {
      for (const { id } of ready) {
        if (!isPatient && existsSync(lockOf(layout.task(id)))) continue;
        const now = directory.look(id)?.read.value;
        if (!now || !isClaimable(now)) continue;
        const claim = await claimTask(list, files, id, agent);
        if (claim.outcome === "claimed") return claim.task;
      }
    }
  }
}
