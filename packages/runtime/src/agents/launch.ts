import type { Job } from "../jobs/jobs.ts";
import { createAbort } from "../loop/abort.ts";
import type { ToolContext } from "../loop/tool.ts";
import { textBlocks } from "../queue.ts";
import { isOneShot } from "./built-in.ts";
import { type Child, type InheritanceDeps, inheritAsAgent, inheritAsFork } from "./inheritance.ts";
import type { Parent } from "./parent.ts";
import { type AgentCall, routeOf, type Situation } from "./route.ts";
import { type StartDeps, startAgent } from "./start.ts";
import { newAgentId } from "./subagent.ts";

export type LaunchDeps = InheritanceDeps & StartDeps & Pick<Situation, "agents" | "denied">;

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
  const { revision, queue } = deps.household;
  const route = routeOf(task, { ...deps, revision, caller: parent.caller });
  if (route.kind === "refused") return { refusal: route.why };
  if (route.kind === "teammate") return { refusal: "no teammates can be started here; leave out name and team_name" };
  if (route.kind === "remote") return { refusal: "no other machine is there to work on; leave out isolation" };
  if (route.isolation) return { refusal: "no worktrees can be made here; leave out isolation" };
  const isFork = route.kind === "fork";
  const fork = isFork ? parent.forkPoint() : undefined;
  if (isFork && !fork) return { refusal: "there is no conversation yet that could be forked" };
  const { description, name, prompt } = task;
  const id = newAgentId(revision === "2026-11" ? name : undefined);
  const child: Child = { id, abort: createAbort(), name: name ?? (isFork ? description : route.agent.agentType) };
  const inherited = isFork
    ? inheritAsFork(route, child, parent, deps)
    : await inheritAsAgent(route, child, parent, deps, signal);
  if ("refusal" in inherited) return inherited;

  const isBackground = isFork || route.isBackground;
  const before = isFork ? undefined : route.agent.initialPrompt;
  const meta = {
    isBuiltIn: isFork || route.agent.source === "built-in",
    isFork,
    launchedWithDefaults: task.subagent_type === undefined,
    description,
    ...(name !== undefined && { name }),
    toolUseId: call,
    spawnDepth: parent.caller.depth,
    requestShape: isBackground ? "background" : "foreground",
    model: task.model ?? inherited.key.model,
  };
  const job = startAgent(
    {
      ...{ child, inherited, meta, fork, parent: parent.id, call, isBackground, waiter: signal },
      prompt: before === undefined ? prompt : `${before}\n\n${prompt}`,
    },
    deps,
  );
  // The result of a fork's call is the same for all, so that they share it; what is this one's own comes behind the results.
  if (isFork)
    queue.enqueue({
      mode: "task-notification",
      origin: { kind: "task-notification", task: id },
      content: textBlocks(
        `The fork "${description}" works in the background.\nagentId: ${id}\noutput_file: ${job.outputFile}`,
      ),
      ...(parent.id !== undefined && { agent: parent.id }),
    });
  const { type, key } = inherited;
  return { job, type, model: key.model, isOneShot: isFork || isOneShot(route.agent), isFork };
}
