import type { Agent } from "../agent/agent.ts";
import type { SessionContext } from "../agent/session-context.ts";
import type { BackgroundTasks } from "../jobs/background-task.ts";

/** An agent as the tools for background work need it. */
export interface Employer extends Pick<Agent, "id" | "shells"> {
  readonly session: Pick<SessionContext, "jobs">;
}

/** The background shells of an agent and the agents below it. */
export function tasksOf({ id, shells, session }: Employer): BackgroundTasks {
  const agents = session.jobs.below(id);
  return {
    find: (task) => shells.find(task) ?? agents.find(task),
    running: () => [...shells.running(), ...agents.running()],
  };
}
