import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { agentOutput, escapeProjectPath, type SubagentMeta } from "@troupe/protocol";
import type { Job } from "../jobs/jobs.ts";
import type { ForkPoint } from "../journal/entry.ts";
import type { RunEvent } from "../loop/run.ts";
import type { Household } from "../worker.ts";
import type { Workspace } from "../workspace.ts";
import type { Child, Inheritance } from "./inheritance.ts";
import { openSubagent } from "./subagent.ts";

export interface StartDeps {
  readonly household: Household;
  /** The system's temporary directory, and whose part of it. */
  readonly temporary: string;
  readonly uid: number;
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
  /** Who hears of its end. */
  readonly parent: string | undefined;
  readonly call?: string;
  readonly isBackground: boolean;
  /** A place of its own, which is given back when it ends. */
  readonly workspace?: Workspace | undefined;
  readonly waiter: AbortSignal;
}

/** Sets an agent to work, as a job whose output can be read where the reference client would put it. */
export function startAgent(start: Start, { household, temporary, uid, onEvent }: StartDeps): Job {
  const {
    child,
    inherited,
    meta,
    prompt,
    fork,
    isResumed = false,
    parent,
    call,
    isBackground,
    waiter,
    workspace,
  } = start;
  const { id, abort } = child;
  const { description, name } = meta;
  const agent = openSubagent({
    ...inherited,
    ...{ household, id, abort, meta, fork, isResumed },
    onEvent: (event) => onEvent({ id, description }, event),
  });
  const outputFile = agentOutput(temporary, uid, escapeProjectPath(household.project), household.sessionId, id);
  mkdirSync(dirname(outputFile), { recursive: true, mode: 0o700 });
  rmSync(outputFile, { force: true });
  symlinkSync(agent.transcript, outputFile);
  return household.jobs.start({
    ...{ id, description, outputFile, call, agent: parent, isBackground, waiter },
    ...(name !== undefined && { name }),
    run: (until) => agent.run(prompt, until),
    output: agent.said,
    async tidy() {
      const isKept = (await workspace?.release())?.isKept ?? false;
      await agent.close(workspace ? { worktreeCleanlyRemoved: !isKept } : {});
      if (!workspace || !isKept) return {};
      const { path, branch } = workspace;
      return { worktree: { worktreePath: path, ...(branch !== undefined && { worktreeBranch: branch }) } };
    },
  });
}
