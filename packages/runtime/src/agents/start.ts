import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf } from "@troupe/protocol";
import type { AgentResult } from "@troupe/protocol/tools";
import type { Agent } from "../agent/agent.ts";
import { boundOf } from "../agent/bound.ts";
import type { SessionContext, SpawnedTeammate } from "../agent/session-context.ts";
import type { Task } from "../agent/task.ts";
import type { Job } from "../jobs/job.ts";
import { nameTaken } from "../jobs/jobs.ts";
import { createAbort } from "../loop/abort.ts";
import type { ToolContext } from "../loop/tool.ts";
import { isOneShot } from "../project/built-in.ts";
import { textBlocks } from "../queue.ts";
import type { Workspace } from "../workspace.ts";
import { type Inherited, inherit, isLeft, type Kind } from "./inherit.ts";
import { deniedAgents } from "./listing.ts";
import { callerOf, mayLeave, type Route, routeOf } from "./route.ts";
import { modeWords, routeWords } from "./route-words.ts";
import { newAgentId, type Work, work } from "./work.ts";

export type Launched =
  | {
      readonly job: Job;
      readonly type: string;
      readonly model: string;
      readonly isOneShot: boolean;
      readonly isFork: boolean;
      /** It works in a place of its own, of which something may be left. */
      readonly isPlaced: boolean;
      /** The caller has a tool to read its output file with. */
      readonly canReadOutput: boolean;
      /** How long it is waited for; absent, until it ends or is sent to the background. */
      readonly waitMs?: number | undefined;
      /**
       * What the call came to and why, and the model that works, in words for the caller's model.
       */
      readonly route: string;
    }
  | { readonly remote: Extract<AgentResult, { readonly status: "remote_launched" }>; readonly route: string }
  | SpawnedTeammate;

/**
 * Starts an agent for a call, or says why it does not. Whether anybody waits for it is the caller's
 * to say.
 */
export async function launch(task: Task, context: ToolContext<Agent>): Promise<Launched> {
  const { agent: caller, isFork, signal } = context;
  const { agents, revision, gates, spawnTeammate, remote } = caller.session;
  const denied = () => deniedAgents(agents, caller.permissions.rules());
  const route = routeOf(task, {
    agents,
    denied,
    revision,
    gates,
    caller: callerOf({ ...caller, ...(isFork && { kind: "fork" }) }),
  });
  switch (route.kind) {
    case "refused":
      return { refusal: route.why };
    case "remote":
      if (!remote) return { refusal: "no other machine is there to work on; leave out isolation" };
      try {
        const route = "route: an agent on another machine (isolation is remote)";
        return { route, remote: await remote.start(task, signal) };
      } catch (error) {
        return { refusal: `no agent could be started on another machine: ${messageOf(error)}` };
      }
    case "teammate":
      if (!spawnTeammate) return { refusal: "no teammates can be started here; leave out name and team_name" };
      return spawnTeammate({ ...route, task, caller }, signal);
    default:
      return launchAs(route, task, context);
  }
}

/** Starts the agent or fork that was decided on. */
export async function launchAs(
  route: Extract<Route, { kind: "agent" | "fork" }>,
  { description, name, prompt, subagent_type, model, mode }: Task,
  { call, signal, answer, agent: caller }: ToolContext<Agent>,
): Promise<Launched> {
  const { revision, queue, gates, agents } = caller.session;
  const isFork = route.kind === "fork";
  const fork = isFork && answer !== undefined ? { transcript: caller.transcript, line: answer } : undefined;
  if (isFork && !fork) return { refusal: "there is no conversation yet that could be forked" };
  const cwd = route.cwd === undefined ? undefined : resolve(caller.cwd, route.cwd);
  // Since 2026-11 it is for the main conversation alone.
  const before = isFork || revision === "2026-11" ? undefined : route.agent.initialPrompt;
  const isBackground = isFork || route.isBackground;
  const asked = gates.isCoordinator ? undefined : model;
  // What a skill takes from a definition stands in no definition that it could go on by.
  const isNarrowed = !isFork && !agents.includes(route.agent);
  const bounds = [...caller.bounds, ...(isNarrowed ? [boundOf(route.agent, isBackground)] : [])];
  const started = await start(
    {
      kind: route,
      cwd,
      parent: caller,
      fork,
      isBackground,
      listener: caller.id,
      call,
      id: newAgentId(revision === "2026-11" ? name : undefined),
      name: name ?? (isFork ? description : route.agent.agentType),
      isIsolated: route.isolation !== undefined,
      elsewhere: `${cwd} is no directory that you work in; leave out cwd, or name one below ${caller.cwd}`,
      prompt: before ? `${before}\n\n${prompt}` : prompt,
      run: 1,
      isOneShot: !isFork && isOneShot(route.agent),
      meta: {
        isBuiltIn: isFork || route.agent.source === "built-in",
        isFork,
        launchedWithDefaults: subagent_type === undefined,
        description,
        ...(name !== undefined && { name }),
        ...(cwd !== undefined && { cwd }),
        ...(bounds.length > 0 && { bounds }),
        toolUseId: call,
        spawnDepth: caller.depth,
        requestShape: isBackground ? "background" : "foreground",
        ...(asked !== undefined && { model: asked }),
      },
    },
    signal,
  );
  if ("refusal" in started) return started;
  const { job, inherited, isPlaced } = started;
  const inMode = modeWords(inherited, isFork ? undefined : route.agent.permissionMode, mode);
  const said = `${routeWords(
    `${isFork ? "fork" : `agent of the type ${inherited.type}`}, in the ${isBackground ? "back" : "fore"}ground`,
    route.why,
    inherited.agent.key.model,
  )}\n${inMode}`;
  // The result of a fork's call is the same for all, so that they share it; what is this one's own
  // comes behind the results.
  if (isFork)
    queue.enqueue({
      mode: "task-notification",
      origin: { kind: "task-notification", task: job.id },
      content: textBlocks(
        `The fork "${description}" works in the background.\nagentId: ${job.id}\noutput_file: ${job.outputFile}\n${said}`,
      ),
      ...(caller.id !== undefined && { agent: caller.id }),
    });
  return {
    job,
    route: said,
    isFork,
    isPlaced,
    type: inherited.type,
    model: inherited.agent.key.model,
    isOneShot: isFork || isOneShot(route.agent),
    waitMs: mayLeave(callerOf(caller), gates) ? gates.backgroundAfterMs : undefined,
    canReadOutput: ["Read", "Bash"].some((name) => isLeft(name, caller.bounds, revision)),
  };
}

/** An agent to set to work, for the first time or again. */
export interface Start
  extends Pick<Work, "prompt" | "run" | "meta" | "fork" | "isResumed" | "before" | "isBackground" | "isOneShot"> {
  readonly kind: Kind;
  readonly id: string;
  /** By what a person tells it from others. */
  readonly name: string;
  /** The agent it takes after. */
  readonly parent: Agent;
  /** Where it works, if not where its parent does. */
  readonly cwd?: string | undefined;
  /** The refusal where it may not work there. */
  readonly elsewhere: string;
  /** It works in a place of its own. */
  readonly isIsolated: boolean;
  /** The agent that hears of its end. */
  readonly listener: string | undefined;
  readonly call?: string | undefined;
}

export interface Started {
  readonly job: Job;
  readonly inherited: Inherited;
  readonly isPlaced: boolean;
}

/**
 * Lets an agent begin where there is room for it and it may work, with what it inherits; or says
 * why not, and leaves nothing behind.
 */
export async function start(
  { kind, id, name, parent, cwd, elsewhere, isIsolated, listener, call, prompt, ...task }: Start,
  signal: AbortSignal,
): Promise<Started | { readonly refusal: string }> {
  const { session } = parent;
  const { jobs, gates } = session;
  const tooMany = `${gates.maxRunning} agents work already, and no more are started; wait until one has ended`;
  const noRoom = () => {
    if (jobs.running().length >= gates.maxRunning) return tooMany;
    const other = jobs.holder(task.meta.name, id);
    return other && nameTaken(other);
  };
  const refusal = noRoom() ?? (await takenInTeam(task.meta.name, session));
  if (refusal !== undefined) return { refusal };
  if (cwd !== undefined && !(parent.permissions.covers(cwd) && existsSync(cwd))) return { refusal: elsewhere };
  const workspace = isIsolated ? await openPlace(`agent-${id}`, session, signal) : undefined;
  if (typeof workspace === "string") return { refusal: workspace };
  const child = { id, abort: createAbort(), name };
  const inherited = await inherit(kind, workspace?.path ?? cwd, child, parent, signal);
  if (!("refusal" in inherited) && call !== undefined && task.isBackground && gates.isAskedBeforehand)
    await askBeforehand(inherited.agent, { call, name }, signal);
  // Others of the same answer may have begun meanwhile.
  const late = noRoom();
  if ("refusal" in inherited || signal.aborted || late !== undefined) {
    await Promise.all(["servers" in inherited && inherited.servers?.close(), workspace?.release()]);
    if ("refusal" in inherited) return inherited;
    return { refusal: late ?? "the call was cancelled" };
  }
  const job = work({
    ...task,
    inherited,
    workspace,
    abort: child.abort,
    waiter: signal,
    listener,
    call,
    prompt:
      workspace && prompt !== undefined
        ? [prompt, inPlace(workspace), ...(task.fork ? [inCopy(parent.cwd, workspace.path)] : [])].join("\n\n")
        : prompt,
    meta: {
      ...task.meta,
      run: task.run,
      ...(prompt !== undefined && { task: prompt }),
      listener,
      model: task.meta.model ?? inherited.agent.key.model,
      ...(workspace && { worktreePath: workspace.path, worktreeBranch: workspace.branch, spawnedWithWorktree: true }),
    },
  });
  return { job, inherited, isPlaced: workspace !== undefined };
}

/** Asks for what an agent may need: each of its tools that changes things or reaches elsewhere. */
async function askBeforehand(
  agent: Agent,
  { call, name }: { readonly call: string; readonly name: string },
  signal: AbortSignal,
): Promise<void> {
  if (agent.kind === "fork") return;
  const mayNeed = agent.session
    .tools(agent)
    .filter(({ isReadOnly, reaches, definition }) => !isReadOnly && (reaches || definition.name.startsWith("mcp__")))
    .map(({ definition }) => definition.name);
  const reason = `${name} is about to work with it in the background`;
  await agent.permissions.askBeforehand(mayNeed, { call, reason }, signal);
}

/** Why an agent must not be called like a member of the team. */
async function takenInTeam(name: string | undefined, { membership }: SessionContext): Promise<string | undefined> {
  const team = name === undefined ? undefined : membership()?.team;
  const { value } = (await team?.config()) ?? {};
  if (!value?.members?.some((member) => member.name === name)) return undefined;
  return `the name ${name} is in use: a member of the team ${team?.name} has it; choose another name`;
}

/** The place, or why there is none. */
async function openPlace(
  name: string,
  { workspaces }: Pick<SessionContext, "workspaces">,
  signal: AbortSignal,
): Promise<Workspace | string> {
  if (!workspaces) return "no worktrees can be made here; leave out isolation";
  try {
    return await workspaces.open(name, signal);
  } catch (error) {
    return `it has no worktree to work in: ${messageOf(error)}`;
  }
}

/** Words for an agent about the place that it has for itself. */
export const inPlace = ({ path, branch, base, existed }: Workspace): string =>
  `${[
    `You work in ${existed ? "the worktree of before" : "a worktree of your own"}, ${path}`,
    ...(branch === undefined ? [] : [`on the branch ${branch}`]),
    ...(base === undefined ? [] : [`which began with the commit ${base}`]),
  ].join(", ")}.`;

/** Words for a fork whose conversation was about another directory. */
const inCopy = (before: string, now: string): string =>
  `You work in a copy of the repository: what lies below ${before} in the conversation above lies below ${now} for you. ` +
  "Change files there alone, and read a file again before you change it.";
