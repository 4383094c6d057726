import { type Codec, isTaskId, type Member, type Task } from "@troupe/protocol";
import { changedTasks, isThere, listedAmong, planChange, type TaskTies } from "@troupe/protocol/rules";
import type { Tasks } from "@troupe/store";
import { checkedTasks, memberUnknown, taskEvent } from "@troupe/store/engine";
import type { Database, Transaction } from "./database.ts";
import { keptUnder, type Scope } from "./kept-result.ts";
import { changeTask, demand, namedBy, removeTask } from "./task-change.ts";
import { claimFree, claimHeld, releaseTask, type Standing, takeNext, takeUntold } from "./task-claim.ts";
import {
  allFiles,
  fileOf,
  holdList,
  markReady,
  nextTaskId,
  surroundingsOf,
  type TaskRows,
  writeTasks,
} from "./task-rows.ts";

/** Whose tasks they are, as it stands in a transaction. */
interface Owners {
  /** Undefined for the list of a session, where anybody may own a task. */
  readonly memberOf?: (name: string) => Member | undefined;
  /** Where the keys of a member are kept. */
  readonly scopeOf?: (by: string) => Scope;
  /** Records what a member did, in the same transaction. */
  readonly record?: (by: string, event: object) => void;
  /** Tells a new owner, in the same transaction. */
  readonly tell?: (task: Task, owner: string, by: string | undefined) => Promise<void>;
}

export interface TasksDeps {
  readonly database: Database;
  readonly codec: Codec;
  /** The list, and its owners; throws where its team is gone. */
  readonly open: (transaction: Transaction) => Promise<Owners & Pick<TaskRows, "list" | "wake">>;
  /** Does this as the list was seen last; again, and anew, where it gives nothing. */
  readonly asSeen: <T>(agent: string, work: (standing: Standing) => Promise<T | undefined>) => Promise<T>;
  /** Whose history says what is taken as the next one, in the same transaction; else nobody's. */
  readonly by?: string;
}

export function openTasks({ database, codec, open, asSeen, by: self }: TasksDeps): Tasks {
  const within = <T>(work: (rows: TaskRows, owners: Owners) => Promise<T>): Promise<T> =>
    database.transaction(async (transaction) => {
      const { list, wake, ...owners } = await open(transaction);
      return work({ transaction, list, codec, wake }, owners);
    });

  function mustBeMember({ memberOf }: Owners, name: string): void {
    if (memberOf && !memberOf(name)) throw memberUnknown(name);
  }

  const update: Tasks["update"] = (id, change, by) =>
    within(async (rows, owners) => {
      const { owner, status } = change;
      if (owner !== undefined) mustBeMember(owners, owner);
      const gone = status === "deleted" ? await removeTask(rows, id) : undefined;
      if (gone) return { ...gone, status: "deleted" };
      const { before, after } = await changeTask(rows, id, change);
      if (owner !== undefined && owner !== before.owner) await owners.tell?.(after, owner, by);
      return after;
    });

  return checkedTasks({
    create: (draft, { once, ...ties } = {}, by) =>
      within(async (rows, owners) => {
        await holdList(rows);
        const scope = (by !== undefined && owners.scopeOf?.(by)) || (`list ${rows.list}` as const);
        const kept = once === undefined ? undefined : keptUnder<Task>(rows.transaction.query, scope, `task ${once}`);
        const before = await kept?.read();
        if (before) return (await standing(rows, before.id)) ?? before;
        if (ties.owner !== undefined) mustBeMember(owners, ties.owner);
        const task = await createTask(rows, draft, ties);
        await kept?.keep(task);
        if (ties.owner !== undefined) await owners.tell?.(task, ties.owner, by);
        return task;
      }),

    get: (id) =>
      within(async ({ transaction, list }) => {
        const one = "select id, doc::text from task where list = $1 and id = $2 and not is_gone";
        const [row] = isTaskId(id) ? await transaction.query<{ id: string; doc: string }>(one, [list, id]) : [];
        const file = row && fileOf(codec, row);
        const { value, problems } = isThere(file) ? file.read : { value: undefined, problems: [] };
        return { value, problems };
      }),

    list: () =>
      within(async (rows) => {
        const files = listedAmong(await allFiles(rows));
        return {
          tasks: files.flatMap(({ read }) => read.value ?? []),
          problems: files.flatMap(({ id, read }) => read.problems.map((problem) => ({ ...problem, id }))),
        };
      }),

    ready: () =>
      within(async ({ transaction, list }) => {
        const ready = "select id, doc::text from task where list = $1 and is_ready order by id";
        const rows = await transaction.query<{ id: string; doc: string }>(ready, [list]);
        return rows.flatMap((row) => fileOf(codec, row).read.value ?? []);
      }),

    update,

    async claim(id, agent) {
      const free = await within((rows, owners) => {
        mustBeMember(owners, agent);
        return claimFree(rows, id, agent);
      });
      return free ?? within((rows) => claimHeld(rows, id, agent));
    },

    async claimNext(agent) {
      for (;;) {
        const next = await asSeen(agent, (standing) =>
          database.transaction(async (transaction) => {
            const taken = await takeNext(transaction, codec, standing, agent, self);
            if (taken?.task && standing.team) transaction.touch(standing.team.id);
            return taken;
          }, "one statement"),
        );
        const { untold } = next;
        if (untold === undefined) return next.task;
        const task = await within(async (rows, owners) => {
          mustBeMember(owners, agent);
          const taken = await takeUntold(rows, untold, agent);
          if (taken && self !== undefined) owners.record?.(self, taskEvent(taken));
          return taken;
        });
        if (task) return task;
      }
    },

    release: (id, agent) => within((rows) => releaseTask(rows, id, agent)),
    complete: (id) => update(id, { status: "completed" }),
    remove: async (id) => (await within((rows) => removeTask(rows, id))) !== undefined,
  });
}

const standing = async (rows: TaskRows, id: string): Promise<Task | undefined> =>
  (await surroundingsOf(rows, [id])).files.get(id)?.read.value;

async function createTask(rows: TaskRows, draft: Parameters<Tasks["create"]>[0], ties: TaskTies): Promise<Task> {
  const { codec } = rows;
  const { added } = namedBy(ties);
  const around = await surroundingsOf(rows, added);
  for (const one of added) demand(around, one);
  const id = await nextTaskId(rows);
  const made = codec.newTask({ ...draft, id });
  const file = fileOf(codec, { id, doc: codec.write(made) });
  if (added.length > 0) planChange(id, ties, [...(await allFiles(rows)), file], codec);
  const tied = changedTasks(id, ties, [file, ...added.flatMap((one) => around.files.get(one) ?? [])], codec);
  await writeTasks(rows, around, new Map<string, object>([[id, made], ...tied]));
  await markReady(rows, { files: around.files, inner: new Set([id, ...around.inner]) });
  return demand(around, id);
}
