import { z } from "zod";
import { TaskId } from "../names.ts";
import { Timestamp } from "../timestamp.ts";
import { anyTime, defineMessage } from "./kind.ts";

/** Tells a member that a task is now its own. */
export const TaskAssignment = z
  .looseObject({
    type: z.literal("task_assignment"),
    taskId: TaskId.describe("The task that was assigned."),
    subject: z.string().describe("The task's subject."),
    description: z.string().describe("The task's description."),
    assignedBy: z.string().describe("The bare name of the member that set the owner; there is no `from`."),
    timestamp: Timestamp.describe("When the owner was set."),
  })
  .meta({
    title: "task_assignment",
    description: "Sent to a member when it becomes the owner of a task.",
    examples: [
      {
        type: "task_assignment",
        taskId: "1",
        subject: "Write the parser",
        description: "All cases of the grammar, with tests",
        assignedBy: "team-lead",
        timestamp: "2026-02-13T10:10:53.467Z",
      },
    ],
  });
export type TaskAssignment = z.infer<typeof TaskAssignment>;

const view = TaskAssignment.partial({ subject: true, description: true, assignedBy: true }).extend({
  timestamp: anyTime,
});
/** The form that readers accept. */
export type ReadTaskAssignment = z.infer<typeof view>;

const keys = ["type", "taskId", "subject", "description", "assignedBy", "timestamp"];

export const taskAssignment = defineMessage({
  type: "task_assignment",
  view,
  published: { "2026-02": TaskAssignment, "2026-11": TaskAssignment },
  keys: { "2026-02": keys, "2026-11": keys },
  idKey: undefined,
  isAllOrNothing: false,
  hasColor: false,
  aliases: {},
});
