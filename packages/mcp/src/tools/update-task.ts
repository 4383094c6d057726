import { TroupeError } from "@troupe/protocol";
import { z } from "zod";
import type { Hand } from "../room.ts";
import { shownTask, TaskShape, taskLine } from "./task.ts";
import { defineTool, idFrom, idOf, taskId } from "./tool.ts";

export const updateTask = defineTool<Hand>()({
  name: "update_task",
  title: "Change a task",
  description:
    "Changes a task: only the fields that you name. An empty owner gives it back, so that somebody else can claim it. Use claim_task to take one, and complete_task when it is done.",
  input: z.object({
    id: taskId,
    subject: z.string().optional(),
    description: z.string().optional(),
    owner: z.string().optional().describe("The member that is to do it; empty for nobody."),
    status: z.enum(["pending", "in_progress"]).optional(),
    add_blocked_by: z.array(idOf("Such as 3.")).optional().describe("Ids of tasks that must be completed first."),
  }),
  output: z.object({ task: TaskShape }),
  isIdempotent: true,
  async run({ id: word, owner, add_blocked_by, ...rest }, { membership }) {
    const id = idFrom(word);
    const change = {
      ...rest,
      ...(owner !== undefined && { owner: owner || undefined }),
      ...(add_blocked_by && { addBlockedBy: add_blocked_by.map(idFrom) }),
    };
    if (Object.keys(change).length === 0)
      throw new TroupeError("arguments_invalid", "nothing to change: name at least one field besides the id");
    await membership.self.tasks.update(id, change);
    const task = await shownTask(membership.self.tasks, id);
    return { value: { task }, text: `Changed ${taskLine(task)}` };
  },
});
