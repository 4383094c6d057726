import { TroupeError } from "@troupe/protocol";
import type { Claim } from "@troupe/store";
import { z } from "zod";
import type { Hand } from "../room.ts";
import { shownTask, TaskShape, taskLine } from "./task.ts";
import { defineTool, idFrom, taskId } from "./tool.ts";

export const claimTask = defineTool<Hand>()({
  name: "claim_task",
  title: "Claim a task",
  description:
    "Makes a task yours and begins it. Of any number of members that try, exactly one gets it. Without an id you get the ready task with the lowest id.",
  input: z.object({ id: taskId.optional() }),
  output: z.object({ task: TaskShape.optional().describe("Absent where no task is ready.") }),
  isIdempotent: true,
  async run({ id: word }, { team, self }) {
    const id = word === undefined ? (await team.tasks.claimNext(self))?.id : idFrom(word);
    if (id === undefined) return { value: {}, text: "No task is ready to be claimed." };
    if (word !== undefined) assertClaimed(id, await team.tasks.claim(id, self));
    const task = await shownTask(team.tasks, id);
    return { value: { task }, text: [`Yours: ${taskLine(task)}`, task.description ?? ""].join("\n").trimEnd() };
  },
});

function assertClaimed(id: string, claim: Claim): void {
  switch (claim.outcome) {
    case "claimed":
      return;
    case "absent":
      throw new TroupeError("task_unknown", `there is no task ${id}: call list_tasks for the ids`, { id });
    case "blocked": {
      const by = claim.by.map((one) => `#${one}`).join(", ");
      throw new TroupeError(
        "task_blocked",
        `task ${id} waits for ${by}: complete that first, or claim another; list_tasks shows what each waits for`,
        { id },
      );
    }
    case "taken": {
      const whose = claim.owner === undefined ? "is not pending any more" : `belongs to ${claim.owner}`;
      throw new TroupeError(
        "task_blocked",
        `task ${id} ${whose}: claim another; list_tasks with ready shows which can be`,
        { id },
      );
    }
  }
}
