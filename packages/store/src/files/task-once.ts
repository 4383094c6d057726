import type { Task } from "@troupe/protocol";
import { isThere } from "@troupe/protocol/rules";
import type { Stamp } from "../store.ts";
import type { Held } from "./lock.ts";
import { keptUnder, type Own } from "./own-directory.ts";
import type { TaskList } from "./task-list.ts";

/**
 * The record of a task that is created under a key of the caller's: no other task gets its id from
 * then on.
 */
interface Making {
  readonly id: string;
  readonly stamp: Stamp;
  /** As it was made; undefined before. */
  readonly task?: Task;
}

/** The place of the keys, and a stamp of this moment. */
export interface OnceDeps {
  readonly place: Own;
  readonly stamp: Stamp;
}

/** The task created under this key, and the time of the first try; undefined when there is none. */
export function madeBefore(list: TaskList, { place }: OnceDeps, key: string): Required<Making> | undefined {
  const before = keptUnder<Making>(place, key).read()?.result;
  if (!before) return undefined;
  const task = isThere(list.look(before.id)) ? list.demand(before.id) : before.task;
  return task && { ...before, task };
}

/**
 * Creates a task under this key, or finds it, while the lock of the list is held; `begin` must be
 * called before anything is written.
 */
export function madeOnce(
  list: TaskList,
  held: Held,
  { place, stamp }: OnceDeps,
  key: string,
  make: (id: string, begin: () => void) => Task,
): Required<Making> {
  const { ids, isDurable } = list;
  const kept = keptUnder<Making>(place, key);
  const before = kept.read()?.result;
  const { id, ...making } = before ?? { id: ids.next(), stamp };
  const begin = () => {
    if (before) return;
    // Reserved first: a number is lost at the most, and never one given to two.
    ids.reserve(held, id, isDurable);
    kept.keep(held, false, { id, ...making }, isDurable);
  };
  const task = madeBefore(list, { place, stamp }, key)?.task ?? make(id, begin);
  if (!making.task) kept.keep(held, true, { id, ...making, task }, isDurable);
  return { id, ...making, task };
}
