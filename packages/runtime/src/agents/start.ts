import type { SubagentMeta } from "@troupe/protocol";
import type { Job, JobUsage, Remains } from "../jobs/jobs.ts";
import type { ForkPoint } from "../journal/entry.ts";
import type { RunEvent } from "../loop/run.ts";
import type { Household } from "../worker.ts";
import type { Workspace } from "../workspace.ts";
import type { Child, Inheritance } from "./inheritance.ts";
import { linkOutput, type OutputDeps } from "./output-link.ts";
import { openSubagent } from "./subagent.ts";

export interface StartDeps extends OutputDeps {
  readonly household: Household;
  /** Shown to whoever watches. */
  readonly onEvent: (agent: { readonly id: string; readonly description: string }, event: RunEvent) => void;
}

/** What is to be done, for whom, and whether that one waits. */
export interface Start {
  readonly child: Child;
  readonly inherited: Inheritance;
  readonly meta: Partial<SubagentMeta> & { readonly description: string };
  readonly prompt: string;
  readonly fork?: ForkPoint | undefined;
  readonly isResumed?: boolean;
  readonly before?: JobUsage | undefined;
  /** Who hears of its end. */
  readonly parent: string | undefined;
  readonly call?: string;
  readonly isBackground: boolean;
  /** A place of its own, which is given back when it ends. */
  readonly workspace?: Workspace | undefined;
  readonly waiter: AbortSignal;
}

/** Sets an agent to work, as a job. Throws when the session ends; nothing is left open then. */
export function startAgent(start: Start, deps: StartDeps): Job {
  const { household, onEvent } = deps;
  const { child, inherited, meta, prompt, fork, isResumed = false, before, workspace } = start;
  const { parent, call, isBackground, waiter } = start;
  const { id, abort } = child;
  const { description, name } = meta;
  const agent = openSubagent({
    ...inherited,
    ...{ household, id, abort, meta, fork, isResumed, before },
    onEvent: (event) => onEvent({ id, description }, event),
  });
  const tidy = async (): Promise<Remains> => {
    await agent.close();
    if (!workspace) return {};
    const { isKept } = await workspace.release();
    agent.note({ worktreeCleanlyRemoved: !isKept });
    const { path: worktreePath, branch } = workspace;
    return isKept ? { worktree: { worktreePath, ...(branch !== undefined && { worktreeBranch: branch }) } } : {};
  };
  try {
    return household.jobs.start({
      ...{ id, description, call, agent: parent, isBackground, waiter, tidy },
      ...(name !== undefined && { name }),
      outputFile: linkOutput(id, agent.transcript, household, deps),
      run: (until) => agent.run(prompt, until),
      output: agent.said,
    });
  } catch (error) {
    void tidy();
    throw error;
  }
}
