import type { EdgeView, TaskCard } from "../../views.ts";

/** A task in the graph; `x` counts layers, `y` places in a layer. */
export interface Placed {
  readonly task: TaskCard;
  readonly x: number;
  readonly y: number;
  readonly isCritical: boolean;
}

export interface Graph {
  readonly nodes: readonly Placed[];
  readonly edges: readonly (EdgeView & { readonly isCritical: boolean })[];
  /** The longest chain of what is not done: nothing is done sooner than all of it. */
  readonly critical: readonly string[];
  /** So many tasks are left out. */
  readonly more: number;
}

/** More than a screen shows to any use. */
const mostNodes = 200;

/**
 * Places each task behind all that it waits for. Tasks that wait for nobody and hold up none are
 * left out.
 */
export function graphOf(tasks: readonly TaskCard[], edges: readonly EdgeView[]): Graph {
  const tied = new Set(edges.flatMap(({ blocker, waiting }) => [blocker, waiting]));
  const open = tasks.filter(({ id }) => tied.has(id)).sort((a, b) => rank(a) - rank(b));
  const shown = open.slice(0, mostNodes);
  const ids = new Set(shown.map(({ id }) => id));
  const within = edges.filter(({ blocker, waiting }) => ids.has(blocker) && ids.has(waiting));
  const layers = depths(
    shown.map(({ id }) => id),
    within,
  );
  const critical = criticalPath(shown, within);
  const step = new Set(critical.slice(1).map((id, at) => `${critical[at]} ${id}`));
  const filled = new Map<number, number>();
  const nodes = [...shown]
    .sort((a, b) => Number(critical.includes(b.id)) - Number(critical.includes(a.id)) || Number(a.id) - Number(b.id))
    .map((task): Placed => {
      const x = layers.get(task.id) ?? 0;
      const y = filled.get(x) ?? 0;
      filled.set(x, y + 1);
      return { task, x, y, isCritical: critical.includes(task.id) };
    });
  const marked = within.map((edge) => ({ ...edge, isCritical: step.has(`${edge.blocker} ${edge.waiting}`) }));
  return { nodes, edges: marked, critical, more: open.length - shown.length };
}

const rank = ({ status }: TaskCard): number => (status === "completed" ? 1 : 0);

/** How many tasks stand before each at the most; of a circle those that were met first. */
function depths(ids: readonly string[], edges: readonly EdgeView[]): ReadonlyMap<string, number> {
  const before = new Map(
    ids.map((id) => [id, edges.filter(({ waiting }) => waiting === id).map((edge) => edge.blocker)]),
  );
  const known = new Map<string, number>();
  const visit = (id: string, path: ReadonlySet<string>): number => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const above = (before.get(id) ?? []).filter((one) => !path.has(one));
    const depth = Math.max(-1, ...above.map((one) => visit(one, new Set([...path, id])))) + 1;
    known.set(id, depth);
    return depth;
  };
  for (const id of ids) visit(id, new Set([id]));
  return known;
}

/** The longest chain of tasks that are not done, each of which waits for the one before it. */
export function criticalPath(tasks: readonly TaskCard[], edges: readonly EdgeView[]): readonly string[] {
  const open = new Set(tasks.filter(({ status }) => status !== "completed").map(({ id }) => id));
  const within = edges.filter(({ blocker, waiting }) => open.has(blocker) && open.has(waiting));
  const depth = depths([...open], within);
  let last = [...open].sort((a, b) => (depth.get(b) ?? 0) - (depth.get(a) ?? 0) || Number(a) - Number(b))[0];
  const path: string[] = [];
  while (last !== undefined && !path.includes(last)) {
    path.unshift(last);
    const wanted = (depth.get(last) ?? 0) - 1;
    last = within.find(({ blocker, waiting }) => waiting === path[0] && depth.get(blocker) === wanted)?.blocker;
  }
  return path.length > 1 ? path : [];
}
