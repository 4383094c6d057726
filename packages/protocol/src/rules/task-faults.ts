import type { Codec } from "../revisions/codec.ts";
import { isInternal } from "../task.ts";
import type { TeamConfig } from "../team.ts";
import { isStranger } from "./roster.ts";
import { type Edge, endsOf, isHalf, requestedEdges } from "./task-edges.ts";
import { isThere, type TaskFile, tasksOf } from "./task-file.ts";

/** A task that names what is not there, or what does not name it in turn. */
export type TaskFault = {
  readonly id: string;
  /** The tasks that it takes for there to be a fault; one that has just changed may be half way. */
  readonly ids: readonly string[];
  readonly message: string;
} & (
  | { readonly kind: "edge_half"; readonly edge: Edge }
  | { readonly kind: "task_absent"; readonly absent: string }
  | { readonly kind: "owner_unknown"; readonly owner: string }
);

/**
 * Problems between the tasks of a list and its team, which no single file shows; without a team any
 * owner is allowed.
 */
export function taskFaults(
  files: readonly TaskFile[],
  team: TeamConfig | undefined,
  { unblocksOnDisk }: Pick<Codec, "unblocksOnDisk">,
): TaskFault[] {
  const faults: TaskFault[] = [];
  const present = files.filter(isThere);
  const ids = new Set(present.map(({ id }) => id));
  const tasks = tasksOf(present.filter(({ read }) => read.isWritable));
  for (const task of tasks.values()) {
    const { id, owner, status, blocks = [], blockedBy = [] } = task;
    for (const edge of requestedEdges(id, { addBlocks: blocks, addBlockedBy: blockedBy })) {
      if (!isHalf(edge, tasks, unblocksOnDisk)) continue;
      const message = `says that task ${edge.waiting} waits for ${edge.blocker}; the other of the two does not`;
      faults.push({ kind: "edge_half", id, ids: endsOf([edge]), message, edge });
    }
    for (const absent of new Set([...blocks, ...blockedBy])) {
      if (ids.has(absent)) continue;
      faults.push({
        kind: "task_absent",
        id,
        ids: [id],
        message: `names task ${absent} as a dependency, which is not there`,
        absent,
      });
    }
    if (owner && status !== "completed" && !isInternal(task) && team && isStranger(owner, team)) {
      faults.push({
        kind: "owner_unknown",
        id,
        ids: [id],
        message: `belongs to ${JSON.stringify(owner)}, who is no member`,
        owner,
      });
    }
  }
  return faults;
}
