import { dirname } from "node:path";
import { isInternal, type Task, TroupeError } from "@troupe/protocol";
import type { Tasks } from "../store.ts";
import { isPresent, makeDirectory } from "./directory.ts";
import { blockersIn } from "./edges.ts";
import type { Held } from "./lock.ts";
import { publish } from "./publication.ts";
import { changeTask, removeTask } from "./task-change.ts";
import { claimTask, openClaiming, readyAmong } from "./task-claim.ts";
import { openTaskIds } from "./task-ids.ts";
import { isThere, openTaskList, type TaskListDeps, tasksOf } from "./task-list.ts";

export interface TasksDeps extends TaskListDeps {
  readonly isMember: (name: string) => Promise<boolean>;
  /** Called once an update has given a task to somebody who did not have it; `by` is who did. */
  readonly assigned?: (task: Task, owner: string, by: string | undefined) => Promise<void>;
}

/** The tasks of one team, one file each, shared with whoever keeps to the same locks. */
export function openTasks({ isMember, assigned, ...deps }: TasksDeps): Tasks {
  const list = openTaskList(deps);
  const ids = openTaskIds(deps.layout);
  const takeNext = openClaiming(list);
  const { directory, layout, codec, isDurable } = list;

  const update: Tasks["update"] = async (id, change, by) => {
    const { owner, status } = change;
    if (owner !== undefined) await mustBeMember(owner, isMember);
    if (status === "deleted") {
      const gone = await removeTask(list, ids, id);
      if (gone) return { ...gone, status };
    }
    const { before, after } = await changeTask(list, id, change);
    if (owner !== undefined && owner !== before.owner) await assigned?.(after, owner, by);
    return after;
  };

  return {
    async create(draft) {
      if (!isPresent(layout.tasks) && isPresent(layout.directory))
        for (const directory of [dirname(layout.tasks), layout.tasks]) makeDirectory(directory);
      ids.survey();
      const task = await list.holding([], "list and tasks", (locks) => {
        const made = codec.newTask({ ...draft, id: ids.next() });
        const held = locks.get(layout.taskLock) as Held;
        if (!isPresent(layout.taskLock)) publish(held, layout.taskLock, "", isDurable);
        publish(held, layout.task(made.id), codec.write(made), isDurable);
        return made;
      });
      ids.settle();
      return task;
    },

    async get(id) {
      const file = await directory.read(id);
      return isThere(file)
        ? { value: file.read.value, problems: file.read.problems }
        : { value: undefined, problems: [] };
    },

    async list() {
      const files = (await directory.readAll()).filter(
        (file) => isThere(file) && !(file.read.value && isInternal(file.read.value)),
      );
      return {
        tasks: files.flatMap(({ read }) => read.value ?? []),
        problems: files.flatMap(({ id, read }) => read.problems.map((problem) => ({ ...problem, id }))),
      };
    },

    ready: async () => readyAmong(await directory.readAll()),
    update,

    async claim(id, agent) {
      await mustBeMember(agent, isMember);
      return isThere(directory.look(id))
        ? claimTask(list, blockersIn(tasksOf(await directory.readAll()).values()).get(id) ?? [], id, agent)
        : { outcome: "absent" };
    },

    async claimNext(agent) {
      await mustBeMember(agent, isMember);
      return takeNext(agent);
    },

    async release(id, agent) {
      if (!isThere(directory.look(id))) return false;
      return list.holding([id], "tasks", (locks) => {
        if (!isThere(directory.look(id))) return false;
        const { task, read } = list.demand(id);
        const isIdle = task.status === "completed" || (task.status === "pending" && !task.owner);
        if (isIdle || (agent !== undefined && task.owner !== agent)) return false;
        list.write(locks, id, codec.amendTask(read, { owner: undefined, status: "pending" }));
        return true;
      });
    },

    complete: (id) => update(id, { status: "completed" }),
    remove: async (id) => (await removeTask(list, ids, id)) !== undefined,
  };
}

async function mustBeMember(name: string, isMember: TasksDeps["isMember"]): Promise<void> {
  if (await isMember(name)) return;
  throw new TroupeError("member_unknown", `${JSON.stringify(name)} is no member of the team: let it join first`, {
    name,
  });
}
