import type { Agent } from "../agent/agent.ts";
import type { SessionContext } from "../agent/session-context.ts";
import type { BackgroundTasks } from "../jobs/background-task.ts";

/** An agent as the tools for background work need it. */
export interface Employer extends Pick<Agent, "id" | "shells"> {
  readonly session: Pick<SessionContext, "jobs" | "teammates" | "remote">;
}

/**
 * The background shells of an agent and the agents below it; of the main conversation its teammates
 * and its agents on other machines besides. Each kind does by itself what it is to stop.
 */
export function tasksOf({ id, shells, session }: Employer): BackgroundTasks {
  const ofMain = id === undefined ? [session.teammates?.(), session.remote] : [];
  const keepers = [shells, session.jobs.below(id), ...ofMain].filter((keeper) => keeper !== undefined);
  return {
    find(task) {
      for (const keeper of keepers) {
        const found = keeper.find(task);
        if (found) return found;
      }
      return undefined;
    },
    running: () => keepers.flatMap((keeper) => keeper.running()),
  };
}

/** What runs, said to a model that asked for something else. */
export function othersIn(tasks: BackgroundTasks): string {
  const running = tasks.running().map(({ id, command }) => `${id} (${command.slice(0, 80)})`);
  return running.length > 0 ? `These run: ${running.join(", ")}.` : "None runs now.";
}
