import { dirname } from "node:path";
import { type Task, TroupeError } from "@troupe/protocol";
import { isThere, listedAmong, readyAmong, released } from "@troupe/protocol/rules";
import type { Tasks } from "../store.ts";
import { isPresent, makeDirectory } from "./directory.ts";
import { publish } from "./publication.ts";
import { changeTask, removeTask } from "./task-change.ts";
import { claimTask, openClaiming } from "./task-claim.ts";
import { openTaskList, type TaskListDeps } from "./task-list.ts";

export interface TasksDeps extends TaskListDeps {
  readonly isMember: (name: string) => Promise<boolean>;
  /** Called once an update has given a task to somebody who did not have it; `by` is who did. */
  readonly assigned?: (task: Task, owner: string, by: string | undefined) => Promise<void>;
}

/** The tasks of one team, one file each, shared with whoever keeps to the same locks. */
export function openTasks({ isMember, assigned, ...deps }: TasksDeps): Tasks {
  const list = openTaskList(deps);
  const takeNext = openClaiming(list);
  const { layout, codec, ids, isDurable } = list;

  async function mustBeMember(name: string): Promise<void> {
    if (await isMember(name)) return;
    const message = `${JSON.stringify(name)} is no member of the team: let it join first`;
    throw new TroupeError("member_unknown", message, { name });
  }

  const update: Tasks["update"] = async (id, change, by) => {
    const { owner, status } = change;
    if (owner !== undefined) await mustBeMember(owner);
    if (status === "deleted") {
      const gone = await removeTask(list, id);
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
      const task = await list.holding([], "list and tasks", (held) => {
        const made = codec.newTask({ ...draft, id: ids.next() });
        if (!isPresent(layout.taskLock)) publish(held, layout.taskLock, "", isDurable);
        publish(held, layout.task(made.id), codec.write(made), isDurable);
        return made;
      });
      ids.settle();
      return task;
    },

    async get(id) {
      const file = await list.read(id);
      const { value, problems } = isThere(file) ? file.read : { value: undefined, problems: [] };
      return { value, problems };
    },

    async list() {
      const files = listedAmong(await list.readAll());
      return {
        tasks: files.flatMap(({ read }) => read.value ?? []),
        problems: files.flatMap(({ id, read }) => read.problems.map((problem) => ({ ...problem, id }))),
      };
    },

    ready: async () => readyAmong(await list.readAll()).map(({ task }) => task),
    update,

    async claim(id, agent) {
      await mustBeMember(agent);
      if (!isThere(list.look(id))) return { outcome: "absent" };
      const blockers = (await list.readAll()).filter(({ read }) => read.value?.blocks?.includes(id));
      return claimTask(list, { id, blockers: blockers.map((file) => file.id) }, agent);
    },

    async claimNext(agent) {
      await mustBeMember(agent);
      return takeNext(agent);
    },

    async release(id, agent) {
      if (!isThere(list.look(id))) return false;
      return list.holding([id], "tasks", (held) => {
        const file = list.look(id);
        const patch = isThere(file) && released(list.demand(id, file), agent);
        if (patch) list.write(held, id, codec.amendTask(file.read, patch));
        return Boolean(patch);
      });
    },

    complete: (id) => update(id, { status: "completed" }),
    remove: async (id) => (await removeTask(list, id)) !== undefined,
  };
}
