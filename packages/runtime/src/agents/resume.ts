import { type Agent, mainOf } from "../agent/agent.ts";
import { boundsIn } from "../agent/bound.ts";
import type { Job } from "../jobs/jobs.ts";
import { readSubagentMeta } from "../journal/files.ts";
import { isOneShot } from "../project/built-in.ts";
import { agentNamed } from "../project/definitions.ts";
import { modeOf } from "./inherit.ts";
import { deniedAgents } from "./listing.ts";
import { start } from "./start.ts";

export type Resumed = { readonly job: Job } | { readonly refusal: string };

/**
 * Resumes an agent that has ended with a message, on the transcript it has; nothing else of it is
 * needed, so it may have been of another process. It inherits from the session, not from the
 * sender, which might be allowed more, within the bounds of the agents that it was started below
 * and, for this run, of the sender. Undefined when there is no such agent.
 */
export async function resume(
  id: string,
  message: string,
  signal: AbortSignal,
  sender: Agent,
): Promise<Resumed | undefined> {
  const { session } = sender;
  const { agents, gates, jobs, machine, project, sessionId } = session;
  const meta = readSubagentMeta({ root: machine.root, cwd: project, sessionId, agentId: id });
  if (!meta) return undefined;
  if (sender.kind === "fork") return { refusal: "a fork does its task itself and resumes no agents" };
  if (sender.depth >= gates.maxDepth)
    return { refusal: "it has ended, and an agent at your depth cannot resume others; do the task yourself" };
  const { agentType, isFork = false, description = agentType, name = agentType, spawnDepth: depth = 0 } = meta;
  const denied = deniedAgents(agents, sender.permissions.rules()).get(agentType);
  if (denied !== undefined) return { refusal: denied };
  const agent = isFork ? undefined : agentNamed(agents, agentType);
  if (!isFork && !agent) return { refusal: `the definition of ${agentType} no longer exists; start another agent` };
  if (agent && isOneShot(agent))
    return { refusal: `an agent of the type ${agentType} answers once and cannot be resumed; start another` };
  const above = boundsIn(meta);
  if (!above) return { refusal: `the file beside its transcript does not record its permissions; start another agent` };
  const earlier = jobs.find(id);
  await earlier?.settled;
  const main = mainOf(sender);
  const bounds = [...above, ...sender.bounds];
  const permissions = bounds.reduce(
    (outer, bound) => outer.within({ ...modeOf(bound, session), cwd: main.cwd, badge: { name } }),
    main.permissions,
  );
  const isIsolated = meta.spawnedWithWorktree ?? false;
  const cwd = !isIsolated && typeof meta["cwd"] === "string" ? meta["cwd"] : undefined;
  return start(
    {
      kind: agent
        ? { kind: "agent", agent, model: meta.model, effort: agent.effort, isBackground: true }
        : { kind: "fork" },
      id,
      name,
      cwd,
      isIsolated,
      prompt: message,
      before: earlier?.end()?.usage,
      parent: { ...main, main, permissions, bounds, kind: "main", depth },
      elsewhere: `its working directory ${cwd} is no longer a directory of the session`,
      meta: { ...meta, description, requestShape: "background" },
      isResumed: true,
      isBackground: true,
      listener: sender.id,
    },
    signal,
  );
}
