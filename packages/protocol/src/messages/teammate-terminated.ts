import type { Revision } from "../revisions/revision.ts";

/** How a teammate ended. */
export interface Termination {
  /** The id of the task under which the teammate ran. */
  readonly runId: string;
  readonly name: string;
  /** The unfinished tasks that lost their owner, if any. */
  readonly unassigned: readonly { readonly id: string; readonly subject: string }[];
}

/** Told to the lead inside its conversation. It never stands in an inbox. */
export const teammateTerminated: Readonly<Record<Revision, (termination: Termination) => string>> = {
  "2026-02": ({ runId }) => `Task ${runId} (type: in_process_teammate) (status: completed)`,
  "2026-11": ({ name, unassigned }) => {
    const lost = unassigned.map(({ id, subject }) => `#${id} "${subject}"`).join(", ");
    const tasks = unassigned.length > 0 ? ` ${unassigned.length} task(s) were unassigned: ${lost}.` : "";
    return JSON.stringify({ type: "teammate_terminated", message: `${name} has shut down.${tasks}` });
  },
};
