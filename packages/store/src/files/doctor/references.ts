import type { TeamConfig } from "@troupe/protocol";
import { isStranger, isThere, type LockLimits, type TaskFault, taskFaults } from "@troupe/protocol/rules";
import { changeTask, takeOut } from "../task-change.ts";
import { openTaskList, type TaskListDeps } from "../task-list.ts";
import { openTasks } from "../tasks.ts";
import { ageOf, type Case, casesOf } from "./cases.ts";

export interface ReferencesDeps extends TaskListDeps {
  readonly limits: LockLimits;
  /** The team as it is now; undefined where there is none, and anybody may own a task. */
  readonly readTeam: () => TeamConfig | undefined;
}

/**
 * Task files that cannot be used; and in the others, names of what is not there or does not name
 * them in turn.
 */
export async function* examineTasks({ readTeam, ...deps }: ReferencesDeps): AsyncGenerator<Case> {
  const list = openTaskList(deps);
  const { release } = openTasks({ ...deps, isMember: async () => true });

  function caseOf(fault: TaskFault): Pick<Case, "kind" | "fix" | "cure"> {
    const { kind, id } = fault;
    if (kind === "edge_half") {
      const { waiting, blocker } = fault.edge;
      return { kind, fix: "add it to both tasks", cure: () => changeTask(list, waiting, { addBlockedBy: [blocker] }) };
    }
    if (kind === "task_absent") {
      const cure = () => takeOut(list, fault.absent, [id], ["blocks", "blockedBy"]);
      return { kind: "reference_dangling", fix: "remove it from the list", cure };
    }
    const cure = async () => {
      const team = readTeam();
      if (team && isStranger(fault.owner, team)) await release(id, fault.owner);
    };
    return { kind: "reference_dangling", fix: "release the task", cure };
  }

  const files = (await list.readAll()).filter(isThere);
  for (const { id, read } of files) yield* casesOf(list.layout.task(id), read);
  // A recent change may be in progress, and its other half may follow.
  const isOld = ({ ids }: TaskFault) => ids.every((id) => ageOf(list.layout.task(id)) > deps.limits.staleMs);
  for (const fault of taskFaults(files, readTeam(), list.codec).filter(isOld)) {
    yield { ...caseOf(fault), path: list.layout.task(fault.id), message: fault.message };
  }
}
