import { isInternal, nameKey, type TeamConfig } from "@troupe/protocol";
import { endsOf, isHalf, requestedEdges } from "../edges.ts";
import type { LockLimits } from "../lock.ts";
import { changeTask, takeOut } from "../task-change.ts";
import { isThere, openTaskList, type TaskListDeps, tasksOf } from "../task-list.ts";
import { openTasks } from "../tasks.ts";
import { casesOf } from "./documents.ts";
import { ageOf, type Case } from "./finding.ts";

export interface ReferencesDeps extends TaskListDeps {
  readonly limits: LockLimits;
  /** The team as it is now; undefined where there is none, and anybody may own a task. */
  readonly readTeam: () => TeamConfig | undefined;
}

/** Task files that cannot be used; and in the others, names of what is not there or does not name them in turn. */
export async function* examineTasks({ readTeam, ...deps }: ReferencesDeps): AsyncGenerator<Case> {
  const list = openTaskList(deps);
  const isOld = (id: string) => ageOf(list.layout.task(id)) > deps.limits.staleMs;
  const { release } = openTasks({ ...deps, isMember: async () => true });
  const team = readTeam();
  const files = (await list.directory.readAll()).filter(isThere);
  const present = new Set(files.map(({ id }) => id));
  const tasks = tasksOf(files.filter(({ read }) => read.isWritable));

  for (const { id, read } of files) yield* casesOf(list.layout.task(id), read);
  // What has just changed is somebody's work, and the other half of it may follow.
  for (const task of [...tasks.values()].filter(({ id }) => isOld(id))) {
    const { id, owner, status, blocks = [], blockedBy = [] } = task;
    const path = list.layout.task(id);
    for (const edge of requestedEdges(id, { addBlocks: blocks, addBlockedBy: blockedBy })) {
      if (!isHalf(edge, tasks, list.codec.unblocksOnDisk) || !endsOf([edge]).every(isOld)) continue;
      const message = `says that task ${edge.waiting} waits for ${edge.blocker}; the other of the two does not`;
      const cure = () => changeTask(list, edge.waiting, { addBlockedBy: [edge.blocker] });
      yield { kind: "edge_half", path, message, fix: "say so in both", cure };
    }
    for (const other of new Set([...blocks, ...blockedBy].filter((other) => !present.has(other)))) {
      const message = `names task ${other} as a dependency, which is not there`;
      const cure = () => takeOut(list, other, [id], ["blocks", "blockedBy"]);
      yield { kind: "reference_dangling", path, message, fix: "take it out", cure };
    }
    if (owner && status !== "completed" && !isInternal(task) && isStranger(owner, team)) {
      const message = `belongs to ${JSON.stringify(owner)}, who is no member`;
      const cure = async () => isStranger(owner, readTeam()) && release(id, owner);
      yield { kind: "reference_dangling", path, message, fix: "give it back", cure };
    }
  }
}

const isStranger = (owner: string, team: TeamConfig | undefined): boolean =>
  team !== undefined &&
  !team.members.some(({ name, agentId }) => [name, agentId].some((known) => nameKey(known) === nameKey(owner)));
