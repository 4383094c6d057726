import { mkdirSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { agentOutput, escapeProjectPath, type SubagentMeta } from "@troupe/protocol";
import type { Job } from "../jobs/jobs.ts";
import { createAbort } from "../loop/abort.ts";
import type { RunEvent } from "../loop/run.ts";
import type { ToolContext } from "../loop/tool.ts";
import { textBlocks } from "../queue.ts";
import { isOneShot } from "./built-in.ts";
import { type Child, type InheritanceDeps, inheritAsAgent, inheritAsFork } from "./inheritance.ts";
import type { Parent } from "./parent.ts";
import { type AgentCall, routeOf, type Situation } from "./route.ts";
import { newAgentId, openSubagent } from "./subagent.ts";

export interface LaunchDeps extends InheritanceDeps, Pick<Situation, "agents" | "denied"> {
  /** The system's temporary directory, and whose part of it. */
  readonly temporary: string;
  readonly uid: number;
  /** Shown to whoever watches. */
  readonly onEvent: (agent: { readonly id: string; readonly description: string }, event: RunEvent) => void;
}

/** A task for an agent. */
export interface Task extends AgentCall {
  readonly description: string;
  readonly prompt: string;
}

export type Launched =
  | {
      readonly job: Job;
      readonly type: string;
      readonly model: string;
      readonly isOneShot: boolean;
      readonly isFork: boolean;
    }
  | { readonly refusal: string };

/** Starts an agent for a call, or says why it does not. Whether anybody waits for it is the caller's to say. */
export async function launch(
  task: Task,
  { call, signal }: ToolContext,
  parent: Parent,
  deps: LaunchDeps,
): Promise<Launched> {
  const { household, temporary, uid, onEvent } = deps;
  const { revision, jobs, sessionId, project, queue } = household;
  const route = routeOf(task, { ...deps, revision, caller: parent.caller });
  if (route.kind === "refused") return { refusal: route.why };
  if (route.kind === "teammate") return { refusal: "no teammates can be started here; leave out name and team_name" };
  if (route.kind === "remote") return { refusal: "no other machine is there to work on; leave out isolation" };
  if (route.isolation) return { refusal: "no worktrees can be made here; leave out isolation" };
  const isFork = route.kind === "fork";
  const { description, name } = task;
  const id = newAgentId(revision === "2026-11" ? name : undefined);
  const child: Child = { id, abort: createAbort(), name: name ?? (isFork ? description : route.agent.agentType) };
  const inherited = isFork
    ? inheritAsFork(route, child, parent, deps)
    : await inheritAsAgent(route, child, parent, deps, signal);
  if ("refusal" in inherited) return inherited;

  const isBackground = isFork || route.isBackground;
  const meta: Omit<SubagentMeta, "agentType" | "isFork"> & { readonly toolUseId: string } = {
    isBuiltIn: isFork || route.agent.source === "built-in",
    launchedWithDefaults: task.subagent_type === undefined,
    description,
    ...(name !== undefined && { name }),
    toolUseId: call,
    spawnDepth: parent.caller.depth,
    requestShape: isBackground ? "background" : "foreground",
    model: task.model ?? inherited.key.model,
  };
  const agent = openSubagent({
    ...inherited,
    ...{ household, id, abort: child.abort, meta },
    onEvent: (event) => onEvent({ id, description }, event),
  });
  const outputFile = agentOutput(temporary, uid, escapeProjectPath(project), sessionId, id);
  mkdirSync(dirname(outputFile), { recursive: true, mode: 0o700 });
  symlinkSync(agent.transcript, outputFile);
  const first = isFork ? undefined : route.agent.initialPrompt;
  const job = jobs.start({
    ...{ id, description, outputFile, call, agent: parent.id, isBackground },
    waiter: signal,
    run: (until) => agent.run(first === undefined ? task.prompt : `${first}\n\n${task.prompt}`, until),
    output: agent.said,
    tidy: () => agent.close(),
  });
  // The result of a fork's call is the same for all, so that they share it; what is this one's own comes behind the results.
  if (isFork)
    queue.enqueue({
      mode: "task-notification",
      origin: { kind: "task-notification", task: id },
      content: textBlocks(
        `The fork "${description}" works in the background.\nagentId: ${id}\noutput_file: ${outputFile}`,
      ),
      ...(parent.id !== undefined && { agent: parent.id }),
    });
  return {
    job,
    type: inherited.type,
    model: inherited.key.model,
    isOneShot: isFork || isOneShot(route.agent),
    isFork,
  };
}
