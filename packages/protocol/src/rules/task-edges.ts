import { isTaskId } from "../names.ts";
import type { Task } from "../task.ts";

/** One dependency: `waiting` cannot begin before `blocker` is done. */
export interface Edge {
  readonly blocker: string;
  readonly waiting: string;
}

/** The edges to add to a task, from both ways to ask for them. */
export function requestedEdges(
  id: string,
  { addBlocks = [], addBlockedBy = [] }: { addBlocks?: readonly string[]; addBlockedBy?: readonly string[] },
): Edge[] {
  return [
    ...addBlocks.map((waiting) => ({ blocker: id, waiting })),
    ...addBlockedBy.map((blocker) => ({ blocker, waiting: id })),
  ];
}

/** The ids at either end of each edge. */
export const endsOf = (edges: readonly Edge[]): string[] => edges.flatMap(({ blocker, waiting }) => [blocker, waiting]);

/** Every edge of one task, also those that stand on the other side only. */
export function edgesAt(id: string, tasks: ReadonlyMap<string, Task>): Edge[] {
  const own = tasks.get(id);
  const waiting = new Set(own?.blocks);
  const blockers = new Set(own?.blockedBy);
  for (const other of tasks.values()) {
    if (other.blockedBy?.includes(id)) waiting.add(other.id);
    if (other.blocks?.includes(id)) blockers.add(other.id);
  }
  return requestedEdges(id, { addBlocks: [...waiting], addBlockedBy: [...blockers] });
}

/**
 * Whether an edge is recorded on one side only, though both tasks exist. A crash or another client
 * between its two writes causes that. Where completing removes the id from waiting tasks, the other
 * half is left from the past, and no damage.
 */
export function isHalf({ blocker, waiting }: Edge, tasks: ReadonlyMap<string, Task>, unblocksOnDisk: boolean): boolean {
  const [from, to] = [tasks.get(blocker), tasks.get(waiting)];
  if (!from || !to || (unblocksOnDisk && from.status === "completed")) return false;
  return blocksIt(from, to) !== waitsForIt(from, to);
}

const blocksIt = (from: Task, to: Task): boolean => from.blocks?.includes(to.id) ?? false;
const waitsForIt = (from: Task, to: Task): boolean => to.blockedBy?.includes(from.id) ?? false;

/** The sides of a task on which the ids of others stand. */
export type EdgeSide = "blocks" | "blockedBy";

/** The change that an edge or its removal makes to a task. */
interface EdgePatch {
  blocks?: readonly string[];
  blockedBy?: readonly string[];
}

/** The writes that make each of these edges two-sided; none for edges that are already. */
export function joining(edges: readonly Edge[], tasks: ReadonlyMap<string, Task>): Map<string, EdgePatch> {
  const patches = new Map<string, EdgePatch>();
  const add = (id: string, side: EdgeSide, other: string) => {
    const patch = patches.get(id) ?? {};
    const ids = patch[side] ?? tasks.get(id)?.[side] ?? [];
    if (ids.includes(other)) return;
    patches.set(id, { ...patch, [side]: [...ids, other] });
  };
  for (const { blocker, waiting } of edges) {
    add(blocker, "blocks", waiting);
    add(waiting, "blockedBy", blocker);
  }
  return patches;
}

/** The same writes, and those that remove each of these edges on both sides. */
export function separating(
  edges: readonly Edge[],
  tasks: ReadonlyMap<string, Task>,
  patches: ReadonlyMap<string, EdgePatch>,
): Map<string, EdgePatch> {
  const all = new Map(patches);
  const remove = (id: string, side: EdgeSide, other: string) => {
    const patch = all.get(id) ?? {};
    const ids = patch[side] ?? tasks.get(id)?.[side] ?? [];
    if (ids.includes(other)) all.set(id, { ...patch, [side]: ids.filter((one) => one !== other) });
  };
  for (const { blocker, waiting } of edges) {
    remove(blocker, "blocks", waiting);
    remove(waiting, "blockedBy", blocker);
  }
  return all;
}

/** The write that removes this id from the task on these sides; undefined if it is not there. */
export function parting(task: Task, id: string, sides: readonly EdgeSide[]): EdgePatch | undefined {
  const named = sides.filter((side) => task[side]?.includes(id));
  if (named.length === 0) return undefined;
  return Object.fromEntries(named.map((side) => [side, task[side]?.filter((other) => other !== id)]));
}

/**
 * The cycle that one of the new edges would close, as ids in waiting order. `present` are the
 * existing tasks, including unreadable ones; a missing id joins nothing.
 */
export function circleOf(
  added: readonly Edge[],
  tasks: ReadonlyMap<string, Task>,
  present: ReadonlySet<string>,
): string[] | undefined {
  const next = new Map<string, Set<string>>([...present].map((id) => [id, new Set()]));
  const join = ({ blocker, waiting }: Edge) => {
    if (present.has(waiting)) next.get(blocker)?.add(waiting);
  };
  for (const { id, blocks: addBlocks = [], blockedBy: addBlockedBy = [] } of tasks.values()) {
    for (const edge of requestedEdges(id, { addBlocks, addBlockedBy })) join(edge);
  }
  const isNew = added.filter(({ blocker, waiting }) => blocker === waiting || !next.get(blocker)?.has(waiting));
  for (const edge of added) join(edge);
  for (const { blocker, waiting } of isNew) {
    const way = wayBetween(waiting, blocker, next);
    if (way) return [...way, waiting];
  }
  return undefined;
}

function wayBetween(start: string, end: string, next: ReadonlyMap<string, Iterable<string>>): string[] | undefined {
  const cameFrom = new Map<string, string | undefined>([[start, undefined]]);
  // A map hands out what is added while it is walked.
  for (const [id] of cameFrom) {
    if (id === end) {
      const way: string[] = [];
      for (let at: string | undefined = id; at !== undefined; at = cameFrom.get(at)) way.unshift(at);
      return way;
    }
    for (const other of next.get(id) ?? []) if (!cameFrom.has(other)) cameFrom.set(other, id);
  }
  return undefined;
}

/** Ids once each, in the order of the numbers; what is no id is left out. */
export const inOrder = (ids: Iterable<string>): string[] =>
  Array.from(Float64Array.from(new Set([...ids].filter(isTaskId)), Number).sort(), String);
