import type { Task } from "../task.ts";

/** The body of the message that tells an owner of its task. */
export const assignmentBody = (
  { id: taskId, subject = "", description = "" }: Task,
  { by: assignedBy, at: timestamp }: { readonly by: string /** ISO 8601 in UTC. */; readonly at: string },
) => ({ type: "task_assignment", taskId, subject, description, assignedBy, timestamp }) as const;
