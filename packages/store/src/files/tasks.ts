import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { isInternal, type Task, TroupeError } from "@troupe/protocol";
import type { Tasks } from "../store.ts";
import { publish } from "./document.ts";
import type { Held } from "./lock.ts";
import { changeTask, removeTask } from "./task-change.ts";
import { claimNext, claimTask, readyAmong } from "./task-claim.ts";
import { openTaskIds } from "./task-ids.ts";
import { isThere, openTaskList, type TaskListDeps } from "./task-list.ts";

export interface TasksDeps extends TaskListDeps {
  readonly isMember: (name: string) => Promise<boolean>;
  /** Called once an update has given a task to somebody who did not have it. */
  readonly assigned?: (task: Task, owner: string) => Promise<void>;
}

/** The tasks of one team, one file each, shared with whoever keeps to the same locks. */
export function openTasks({ isMember, assigned, ...deps }: TasksDeps): Tasks {
  const list = openTaskList(deps);
  const ids = openTaskIds(deps.layout);
  const { directory, layout, codec, isDurable } = list;

  const update: Tasks["update"] = async (id, change) => {
    const { owner, status } = change;
    if (owner !== undefined) await mustBeMember(owner, isMember);
    if (status === "deleted") {
      const gone = await removeTask(list, ids, id);
      if (gone) return { ...gone, status };
    }
    const { before, after } = await changeTask(list, id, change);
    if (owner !== undefined && owner !== before.owner) await assigned?.(after, owner);
    return after;
  };

  return {
    async create(draft) {
      if (isPresent(layout.directory)) mkdirSync(layout.tasks, { recursive: true, mode: 0o700 });
      ids.survey();
      const task = await list.holding([], "list and tasks", (locks) => {
        const made = codec.newTask({ ...draft, id: ids.next() });
        if (!isPresent(layout.taskLock)) writeFileSync(layout.taskLock, "", { flag: "wx", mode: 0o600 });
        publish(locks.get(layout.taskLock) as Held, layout.task(made.id), codec.write(made), isDurable);
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
        ? claimTask(list, await directory.readAll(), id, agent)
        : { outcome: "absent" };
    },

    async claimNext(agent) {
      await mustBeMember(agent, isMember);
      return claimNext(list, agent);
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

const isPresent = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

async function mustBeMember(name: string, isMember: TasksDeps["isMember"]): Promise<void> {
  if (await isMember(name)) return;
  throw new TroupeError("member_unknown", `${JSON.stringify(name)} is no member of the team: let it join first`, {
    name,
  });
}
