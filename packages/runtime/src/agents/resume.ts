import type { SubagentMeta } from "@troupe/protocol";
import { type Agent, mainOf } from "../agent/agent.ts";
import { type Bound, boundsIn } from "../agent/bound.ts";
import type { Job } from "../jobs/job.ts";
import { readSubagentMeta } from "../journal/files.ts";
import { isOneShot } from "../project/built-in.ts";
import { agentNamed } from "../project/definitions.ts";
import { modeOf } from "./inherit.ts";
import { deniedAgents } from "./listing.ts";
import { RunFacts } from "./run-facts.ts";
import { type Start, start } from "./start.ts";

export type Resumed = { readonly job: Job } | { readonly refusal: string };

/**
 * Resumes an agent that has ended with a message. It inherits from the session, not from the
 * sender, which might be allowed more, within the bounds of the agents that it was started below
 * and, for this run, of the sender. Undefined when there is no such agent.
 */
export async function resume(
  id: string,
  message: string,
  signal: AbortSignal,
  sender: Agent,
): Promise<Resumed | undefined> {
  const { agents, gates, jobs, machine, project, sessionId } = sender.session;
  const meta = readSubagentMeta({ root: machine.root, cwd: project, sessionId, agentId: id });
  if (!meta) return undefined;
  if (sender.kind === "fork") return { refusal: "a fork does its task itself and resumes no agents" };
  if (sender.depth >= gates.maxDepth)
    return { refusal: "it has ended, and an agent at your depth cannot resume others; do the task yourself" };
  const { agentType } = meta;
  const denied = deniedAgents(agents, sender.permissions.rules()).get(agentType);
  if (denied !== undefined) return { refusal: denied };
  const agent = meta.isFork ? undefined : agentNamed(agents, agentType);
  if (agent && isOneShot(agent))
    return { refusal: `an agent of the type ${agentType} answers once and cannot be resumed; start another` };
  const earlier = jobs.find(id);
  await earlier?.settled;
  const again = { prompt: message, run: RunFacts.parse(meta).run + 1, isResumed: true, listener: sender.id };
  return goOn(id, meta, { ...again, before: earlier?.end()?.usage, further: sender.bounds }, mainOf(sender), signal);
}

export interface Again extends Pick<Start, "prompt" | "run" | "fork" | "isResumed" | "before" | "listener" | "call"> {
  /** Bounds of this run besides its own. */
  readonly further: readonly Bound[];
}

/**
 * Lets an agent go on from the transcript it has; nothing else of it is needed, so it may have been
 * of another process.
 */
export async function goOn(
  id: string,
  meta: SubagentMeta,
  { further, ...again }: Again,
  main: Agent,
  signal: AbortSignal,
): Promise<Resumed> {
  const { session } = main;
  const { agentType, isFork = false, description = agentType, name = agentType, spawnDepth: depth = 0 } = meta;
  const agent = isFork ? undefined : agentNamed(session.agents, agentType);
  if (!isFork && !agent) return { refusal: `the definition of ${agentType} no longer exists; start another agent` };
  const above = boundsIn(meta);
  if (!above) return { refusal: `the file beside its transcript does not record its permissions; start another agent` };
  const bounds = [...above, ...further];
  const permissions = bounds.reduce(
    (outer, bound) => outer.within({ ...modeOf(bound, session), cwd: main.cwd, badge: { name } }),
    main.permissions,
  );
  const isIsolated = meta.spawnedWithWorktree ?? false;
  const cwd = !isIsolated && typeof meta["cwd"] === "string" ? meta["cwd"] : undefined;
  return start(
    {
      ...again,
      kind: agent
        ? { kind: "agent", agent, model: meta.model, effort: agent.effort, isBackground: true }
        : { kind: "fork" },
      id,
      name,
      cwd,
      isIsolated,
      isOneShot: agent !== undefined && isOneShot(agent),
      parent: { ...main, main, permissions, bounds, kind: "main", depth },
      elsewhere: `its working directory ${cwd} is no longer a directory of the session`,
      meta: { ...meta, description, requestShape: "background" },
      isBackground: true,
    },
    signal,
  );
}
