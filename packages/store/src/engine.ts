export { assertArchive } from "./archive.ts";
export { type Assigning, assignmentOf } from "./assignment.ts";
export { checkedStore, checkedTasks, checkedTeam, whileOpen } from "./checked.ts";
export { taskEvent, tasksOf } from "./participant-tasks.ts";
export { leaseLost, memberUnknown, sessionLeading, teamExists, teamGone, teamRemoved } from "./refusals.ts";
