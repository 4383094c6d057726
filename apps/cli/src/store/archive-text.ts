import type { Archive } from "@troupe/store";
import { counted } from "../paint.ts";

/** How much an archive holds. */
export function countsOf({ teams, lists, plans }: Archive) {
  return {
    teams: teams.map(({ name }) => name),
    tasks: lists.reduce((sum, { tasks }) => sum + tasks.length, 0),
    inboxes: teams.reduce((sum, { inboxes }) => sum + inboxes.length, 0),
    events: teams.reduce((sum, { events }) => sum + events.length, 0),
    plans: plans.length,
  };
}

/** The same in words. */
export const countsText = ({ teams, tasks, inboxes, plans }: ReturnType<typeof countsOf>): string =>
  `${counted(teams.length, "team")} with ${inboxes} inboxes, ${counted(tasks, "task")} and ${counted(plans, "plan")}`;
