import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Job } from "../jobs/jobs.ts";
import { createAbort } from "../loop/abort.ts";
import type { ToolContext } from "../loop/tool.ts";
import { textBlocks } from "../queue.ts";
import type { Workspace, Workspaces } from "../workspace.ts";
import { isOneShot } from "./built-in.ts";
import { type Child, type InheritanceDeps, inheritAsAgent, inheritAsFork } from "./inheritance.ts";
import type { Parent, ParentToBe } from "./parent.ts";
import { type AgentCall, type Route, routeOf, type Situation } from "./route.ts";
import { type StartDeps, startAgent } from "./start.ts";
import { newAgentId } from "./subagent.ts";

export interface LaunchDeps extends InheritanceDeps, StartDeps, Pick<Situation, "agents" | "denied"> {
  /** The session itself, from which agents inherit that go on. */
  readonly self: () => ParentToBe;
  /** Messages that set an agent to work just now, by its id. */
  readonly resuming: Map<string, Promise<unknown>>;
  /** Makes places for agents that are not to get in each other's way. */
  readonly workspaces?: Workspaces | undefined;
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
      /** It works in a place of its own, of which something may be left. */
      readonly isPlaced: boolean;
    }
  | { readonly refusal: string };

/** Starts an agent for a call, or says why it does not. Whether anybody waits for it is the caller's to say. */
export async function launch(
  task: Task,
  { call, signal }: ToolContext,
  parent: Parent,
  deps: LaunchDeps,
): Promise<Launched> {
  const route = routeOf(task, { ...deps, revision: deps.household.revision, caller: parent.caller });
  if (route.kind === "refused") return { refusal: route.why };
  if (route.kind === "teammate") return { refusal: "no teammates can be started here; leave out name and team_name" };
  if (route.kind === "remote") return { refusal: "no other machine is there to work on; leave out isolation" };
  return launchAs(route, task, { call, signal }, parent, deps);
}

/** Starts the agent or fork that was decided on. */
export async function launchAs(
  route: Extract<Route, { kind: "agent" | "fork" }>,
  task: Task,
  { call, signal }: ToolContext,
  parent: Parent,
  deps: LaunchDeps,
): Promise<Launched> {
  const { revision, queue, jobs } = deps.household;
  if (jobs.running().length >= deps.gates.maxRunning) return tooMany(deps);
  const cwd = route.cwd === undefined ? undefined : resolve(parent.cwd, route.cwd);
  if (cwd !== undefined && !(parent.permissions.covers(cwd) && existsSync(cwd)))
    return { refusal: `${cwd} is no directory that you work in; leave out cwd, or name one below ${parent.cwd}` };
  const isFork = route.kind === "fork";
  const fork = isFork ? parent.forkPoint() : undefined;
  if (isFork && !fork) return { refusal: "there is no conversation yet that could be forked" };
  const { description, name, prompt } = task;
  const id = newAgentId(revision === "2026-11" ? name : undefined);
  const child: Child = { id, abort: createAbort(), name: name ?? (isFork ? description : route.agent.agentType) };
  const workspace = route.isolation && (await openPlace(`agent-${id}`, deps, signal));
  if (typeof workspace === "string") return { refusal: workspace };
  const placed = { ...route, cwd: workspace?.path ?? cwd };
  const inherited =
    placed.kind === "fork"
      ? inheritAsFork(placed, child, parent, deps)
      : await inheritAsAgent(placed, child, parent, deps, signal);
  // Others of the same answer may have begun meanwhile.
  const isFull = jobs.running().length >= deps.gates.maxRunning;
  if ("refusal" in inherited || signal.aborted || isFull) {
    await Promise.all(["mcp" in inherited && inherited.mcp?.close(), workspace?.release()]);
    if ("refusal" in inherited) return inherited;
    return isFull ? tooMany(deps) : { refusal: "the call was cancelled" };
  }

  const isBackground = isFork || route.isBackground;
  // Since 2026-11 it is for whoever has the main conversation.
  const before = isFork || revision === "2026-11" ? undefined : route.agent.initialPrompt;
  const meta = {
    isBuiltIn: isFork || route.agent.source === "built-in",
    isFork,
    launchedWithDefaults: task.subagent_type === undefined,
    description,
    ...(name !== undefined && { name }),
    ...(cwd !== undefined && { cwd }),
    toolUseId: call,
    spawnDepth: parent.caller.depth,
    requestShape: isBackground ? "background" : "foreground",
    model: (deps.gates.isCoordinator ? undefined : task.model) ?? inherited.key.model,
    ...(workspace && { worktreePath: workspace.path, worktreeBranch: workspace.branch, spawnedWithWorktree: true }),
  };
  const job = startAgent(
    {
      ...{ child, inherited, meta, fork, parent: parent.id, call, isBackground, waiter: signal },
      workspace,
      prompt: [before, prompt, isFork && workspace && elsewhere(parent.cwd, workspace.path)]
        .filter(Boolean)
        .join("\n\n"),
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
  return { job, type, model: key.model, isOneShot: isFork || isOneShot(route.agent), isFork, isPlaced: !!workspace };
}

export const tooMany = ({ gates }: LaunchDeps) => ({
  refusal: `${gates.maxRunning} agents work already, and no more are started; wait until one has ended`,
});

/** The place, or why there is none. */
export async function openPlace(
  name: string,
  { workspaces }: LaunchDeps,
  signal: AbortSignal,
): Promise<Workspace | string> {
  if (!workspaces) return "no worktrees can be made here; leave out isolation";
  try {
    return await workspaces.open(name, signal);
  } catch (error) {
    return `it has no worktree to work in: ${(error as Error).message}`;
  }
}

/** What a fork must know that begins with a conversation about another directory. */
const elsewhere = (before: string, now: string): string =>
  `You work in a copy of the repository: what lies below ${before} in the conversation above lies below ${now} for you. ` +
  "Change files there alone, and read a file again before you change it.";
