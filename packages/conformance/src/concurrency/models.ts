import type { Model, Operation } from "./linearise.ts";

/** The name an error was answered with; undefined for a result. */
export const errorOf = ({ outcome, reply }: Operation): string | undefined =>
  outcome === "fail" ? (reply as { name: string }).name : undefined;

/** A call that may have happened or not: the process was killed meanwhile. */
const isUnheard = ({ outcome }: Operation): boolean => outcome === "info";

const resultOf = ({ reply }: Operation): Readonly<Record<string, unknown>> =>
  (reply ?? {}) as Readonly<Record<string, unknown>>;

/**
 * The progress of an inbox: how many entries of the order are in it, and how many of those were
 * taken.
 */
export interface InboxState {
  readonly appended: number;
  readonly taken: number;
}

/**
 * An append-only list of texts that differ, whose reader takes what waits from the front. `order`
 * is the order in which they went in, as the file shows it in the end: it turns a search among all
 * orders into a walk.
 */
export const inboxModel = (order: readonly string[]): Model<InboxState> => ({
  initial: { appended: 0, taken: 0 },
  keyOf: ({ appended, taken }) => `${appended},${taken}`,
  step(state, operation) {
    const { appended, taken } = state;
    if (operation.op === "inbox.append") {
      return order[appended] === operation.args["text"] ? { appended: appended + 1, taken } : undefined;
    }
    if (operation.op === "inbox.read") {
      const texts = (resultOf(operation)["messages"] as readonly { text: string }[]).map(({ text }) => text);
      return isEqual(texts, order.slice(taken, appended)) ? state : undefined;
    }
    if (operation.op === "take") {
      const texts = operation.args["texts"] as readonly string[];
      return isEqual(texts, order.slice(taken, taken + texts.length)) && taken + texts.length <= appended
        ? { appended, taken: taken + texts.length }
        : undefined;
    }
    throw unknown(operation);
  },
});

/** Ids in the order they were given: each the one above the highest. */
export const counterModel: Model<number> = {
  initial: 0,
  keyOf: String,
  step(highest, operation) {
    if (operation.op !== "task.create") throw unknown(operation);
    return isUnheard(operation) || resultOf(operation)["id"] === String(highest + 1) ? highest + 1 : undefined;
  },
};

/** The members of a team: names join and leave, each at most once at a time. */
export const membersModel = (names: readonly string[]): Model<readonly string[]> => ({
  initial: [...names].sort(),
  keyOf: (members) => members.join(),
  step(members, operation) {
    const name = String(operation.args["name"]);
    const [isIn, error] = [members.includes(name), errorOf(operation)];
    const without = members.filter((other) => other !== name);
    if (operation.op === "member.add") {
      if (isUnheard(operation)) return isIn ? members : [...members, name].sort();
      if (error) return error === "conflict" && isIn ? members : undefined;
      return isIn ? undefined : [...members, name].sort();
    }
    if (operation.op === "member.remove") {
      if (error) return error === "notFound" && !isIn ? members : undefined;
      return isIn || isUnheard(operation) ? without : undefined;
    }
    if (operation.op === "team.get") {
      const { members: found } = resultOf(operation)["config"] as { members: readonly { name: string }[] };
      return isEqual(found.map((member) => member.name).sort(), members) ? members : undefined;
    }
    throw unknown(operation);
  },
});

/** The relevant state of a task: its owner, its status, and the tasks it blocks. */
interface TaskState {
  readonly status: string;
  readonly owner?: string | undefined;
  readonly after: readonly string[];
}

export type TasksState = Readonly<Record<string, TaskState>>;

/** A few tasks with dependencies: a claim moves a pending, unowned, unblocked task, or nothing. */
export const tasksModel = (initial: TasksState): Model<TasksState> => ({
  initial,
  keyOf: (state) => JSON.stringify(state),
  step(state, operation) {
    if (operation.op === "observe") return isEqual(operation.args["tasks"], withoutEdges(state)) ? state : undefined;
    const id = String(operation.args["id"]);
    const task = state[id];
    if (!task) return errorOf(operation) === "notFound" ? state : undefined;
    const put = (change: Partial<TaskState>): TasksState => ({ ...state, [id]: { ...task, ...change } });
    const isBlocked = task.after.some((other) => state[other]?.status !== "completed");
    const error = errorOf(operation);
    if (operation.op === "task.claim") {
      const agent = String(operation.args["agent"]);
      const isFree = task.status === "pending" && (task.owner === undefined || task.owner === agent);
      if (error === "conflict") return isFree ? undefined : state;
      if (error === "blocked") return isBlocked ? state : undefined;
      if (error) return undefined;
      if (isFree && !isBlocked) return put({ status: "in_progress", owner: agent });
      return isUnheard(operation) ? state : undefined;
    }
    if (operation.op === "task.update") {
      if (error) return undefined;
      const { status, owner, addBlockedBy } = operation.args as Partial<TaskState> & { addBlockedBy?: string[] };
      if (addBlockedBy) return put({ after: [...new Set([...task.after, ...addBlockedBy])].sort() });
      if (owner === null) return put({ owner: undefined, status: "pending" });
      return put({ status: status ?? task.status });
    }
    throw unknown(operation);
  },
});

/** The files of a state, for an observation between calls. */
const withoutEdges = (state: TasksState): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(state).map(([id, { status, owner = null }]) => [id, { status, owner }]));

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const unknown = ({ op }: Operation): Error => new Error(`no model knows ${op}`);
