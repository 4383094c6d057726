import { byId, type Task } from "@troupe/protocol";
import type { Answer, Call } from "../command.ts";
import { lookAtTasks } from "../open.ts";
import type { Printed } from "../paint.ts";
import { statusSpan } from "../team/overview-text.ts";

/** A dependency: one task waits for another. */
export interface Edge {
  readonly blocker: string;
  readonly waiting: string;
}

export async function run(call: Call<{ team: string }, { dot?: boolean }>): Promise<Answer> {
  const { team, tasks: found } = await lookAtTasks(call, call.args.team);
  const tasks = found.map(({ task }) => task);
  const edges = edgesOf(tasks);
  const nodes = tasks.map(({ id, subject = "", status, owner }) => ({ id, subject, status, owner: owner ?? null }));
  return {
    document: { team, tasks: nodes, edges },
    text: call.options.dot ? dotText(team, tasks, edges) : treeText(tasks, edges),
  };
}

/** Returns every dependency between existing tasks, whichever of the two names it. */
export function edgesOf(tasks: readonly Task[]): Edge[] {
  const ids = new Set(tasks.map(({ id }) => id));
  const edges = new Map<string, Edge>();
  const add = (blocker: string, waiting: string) => {
    if (ids.has(blocker) && ids.has(waiting)) edges.set(`${blocker} ${waiting}`, { blocker, waiting });
  };
  for (const { id, blocks = [], blockedBy = [] } of tasks) {
    for (const blocker of blockedBy) add(blocker, id);
    for (const waiting of blocks) add(id, waiting);
  }
  return [...edges.values()];
}

/** Renders each task below those it waits for, expanded once; a cycle begins with its lowest id. */
export function treeText(tasks: readonly Task[], edges: readonly Edge[]): Printed[] {
  if (tasks.length === 0) return ["  none"];
  const waiting = new Map(tasks.map(({ id }) => [id, edges.filter(({ blocker }) => blocker === id)]));
  const byNumber = new Map([...tasks].sort(byId).map((task) => [task.id, task]));
  const seen = new Set<string>();
  const lines: Printed[] = [];

  function grow(task: Task, branch: string, below: string): void {
    const isKnown = seen.has(task.id);
    seen.add(task.id);
    const next = (waiting.get(task.id) ?? []).flatMap((edge) => byNumber.get(edge.waiting) ?? []).sort(byId);
    const again = isKnown && next.length > 0 ? "  (unfolded above)" : "";
    const owner = task.owner ? `  ${task.owner}` : "";
    lines.push([branch, `#${task.id} `, statusSpan(task.status), `  ${task.subject ?? ""}${owner}${again}`]);
    if (isKnown) return;
    for (const [index, child] of next.entries()) {
      const isLast = index === next.length - 1;
      grow(child, `${below}${isLast ? "└─ " : "├─ "}`, `${below}${isLast ? "   " : "│  "}`);
    }
  }

  const blocked = new Set(edges.map((edge) => edge.waiting));
  for (const task of byNumber.values()) if (!blocked.has(task.id)) grow(task, "", "");
  for (const task of byNumber.values()) if (!seen.has(task.id)) grow(task, "", "");
  return lines;
}

const dotText = (team: string, tasks: readonly Task[], edges: readonly Edge[]): Printed[] => {
  const lines = [
    ...tasks.map(({ id, subject = "" }) => `  ${id} [label=${JSON.stringify(`#${id} ${subject}`)}];`),
    ...edges.map(({ blocker, waiting }) => `  ${blocker} -> ${waiting};`),
  ];
  return [{ verbatim: [`digraph ${JSON.stringify(team)} {`, ...lines, "}"].join("\n") }];
};
