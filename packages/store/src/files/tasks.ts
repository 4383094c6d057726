import { dirname } from "node:path";
import { type Task, TroupeError } from "@troupe/protocol";
import { isThere, listedAmong, readyAmong, released } from "@troupe/protocol/rules";
import { checkedTasks } from "../checked.ts";
import { memberUnknown } from "../refusals.ts";
import type { Stamp, Tasks } from "../store.ts";
import { assertOpening, tasksShape } from "./checked.ts";
import { isPresent, makeDirectory } from "./directory.ts";
import { publish } from "./publication.ts";
import { changeTask, removeTask, tied } from "./task-change.ts";
import { openClaiming, openClaimingGiven } from "./task-claim.ts";
import { openTaskList, type TaskListDeps } from "./task-list.ts";
import { madeBefore, madeOnce, type OnceDeps } from "./task-once.ts";

export interface TasksDeps extends TaskListDeps {
  readonly isMember: (name: string) => Promise<boolean>;
  /**
   * Called once an update has given a task to a new owner; `by` names who did it. A retry has the
   * stamp of the first try.
   */
  readonly assigned?: (task: Task, owner: string, by: string | undefined, stamp?: Stamp) => Promise<void>;
  /**
   * Troupe's own directory of the list, where keys are kept, and a stamp of this moment. Without
   * it, no key can be given.
   */
  readonly own?: () => Promise<OnceDeps>;
}

/** The tasks of one team, one file each, shared with every program that keeps to the same locks. */
export function openTasks(given: TasksDeps): Tasks {
  assertOpening("openTasks", given, tasksShape);
  const { isMember, assigned, own, ...deps } = given;
  const list = openTaskList(deps);
  const takeNext = openClaiming(list);
  const take = openClaimingGiven(list);
  const { layout, codec, ids, isDurable } = list;

  async function mustBeMember(name: string): Promise<void> {
    if (!(await isMember(name))) throw memberUnknown(name);
  }

  async function ownPlace(): Promise<OnceDeps> {
    if (own) return own();
    throw new TroupeError("arguments_invalid", "once of create needs own of openTasks: say where keys are kept", {
      field: "once",
    });
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

  return checkedTasks({
    async create(draft, { once, ...ties } = {}, by) {
      const { owner, addBlocks = [], addBlockedBy = [] } = ties;
      const place = once === undefined ? undefined : await ownPlace();
      const before = once === undefined || !place ? undefined : madeBefore(list, place, once);
      if (owner !== undefined && !before) await mustBeMember(owner);
      const { task, stamp } = before ?? (await make());
      if (owner !== undefined) await assigned?.(task, owner, by, stamp);
      return task;

      async function make(): Promise<{ readonly task: Task; readonly stamp?: Stamp }> {
        const named = [...addBlocks, ...addBlockedBy];
        for (const one of named) list.demand(one);
        if (!isPresent(layout.tasks) && isPresent(layout.directory))
          for (const directory of [dirname(layout.tasks), layout.tasks]) makeDirectory(directory);
        ids.survey();
        const made = await list.holding(named, "list and tasks", (held) => {
          const write = (id: string, begin = () => {}): Task => {
            const file = { id, read: codec.readTask(codec.write(codec.newTask({ ...draft, id })), id) };
            const documents = tied(list, file, ties);
            begin();
            if (!isPresent(layout.taskLock)) publish(held, layout.taskLock, "", isDurable);
            // The new one first: what a crash leaves then is an edge on one side, and none that
            // leads to nothing.
            const [task] = Array.from(documents, ([one, document]) => list.write(held, one, document));
            return task as Task;
          };
          if (once === undefined || !place) return { task: write(ids.next()) };
          return madeOnce(list, held, place, once, write);
        });
        ids.settle();
        return made;
      }
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
      return take(id, agent);
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
  });
}
