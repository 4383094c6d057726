import type { Task } from "@troupe/protocol";
import type { Tasks } from "./store.ts";

type Recorded = Pick<Task, "id" | "status" | "owner">;

/** What the history says of a task that was changed. */
export const taskEvent = ({ id, status, owner }: Recorded): object => ({
  kind: "task",
  id,
  status,
  owner,
});

/** The tasks of a team in the hands of one participant: what it changes is recorded. */
export function tasksOf(self: string, tasks: Tasks, record: (event: object) => void | Promise<void>): Tasks {
  // The change stands: what is wrong with the record is no failure to make it.
  const note = async (look: () => Recorded | undefined | Promise<Recorded | undefined>) => {
    try {
      const task = await look();
      if (task) await record(taskEvent(task));
    } catch {}
  };
  const noted = async <T extends Task | undefined>(change: Promise<T>): Promise<T> => {
    const task = await change;
    await note(() => task);
    return task;
  };
  return {
    ...tasks,
    create: (draft, ties, by = self) => noted(tasks.create(draft, ties, by)),
    update: (id, change, by = self) => noted(tasks.update(id, change, by)),
    claimNext: (agent) => noted(tasks.claimNext(agent)),
    complete: (id) => noted(tasks.complete(id)),
    async claim(id, agent) {
      const claim = await tasks.claim(id, agent);
      if (claim.outcome === "claimed") await note(() => claim.task);
      return claim;
    },
    async release(id, agent) {
      const isDone = await tasks.release(id, agent);
      if (isDone) await note(async () => (await tasks.get(id)).value);
      return isDone;
    },
    async remove(id) {
      const isDone = await tasks.remove(id);
      if (isDone) await note(() => ({ id, status: "deleted" }));
      return isDone;
    },
  };
}
