import { existsSync, readFileSync } from "node:fs";
import { escapeProjectPath, layoutOf, readJson, SubagentMeta } from "@troupe/protocol";
import type { Job } from "../jobs/jobs.ts";
import { createAbort } from "../loop/abort.ts";
import { isOneShot } from "./built-in.ts";
import { agentNamed } from "./definitions.ts";
import { inheritAsAgent, inheritAsFork } from "./inheritance.ts";
import type { LaunchDeps } from "./launch.ts";
import type { Parent } from "./parent.ts";
import { startAgent } from "./start.ts";

/**
 * Sets an agent that has ended to work again with a message, on the transcript it has; that is all that is needed of it, so it may have been
 * of another process. Undefined where there is no such agent.
 */
export async function resume(
  id: string,
  message: string,
  signal: AbortSignal,
  parent: Parent,
  deps: LaunchDeps,
): Promise<{ readonly job: Job } | { readonly refusal: string } | undefined> {
  const meta = metaOf(id, deps);
  if (!meta) return undefined;
  const { agentType, isFork = false, description = agentType, name = agentType } = meta;
  const child = { id, abort: createAbort(), name };
  const place = meta.worktreePath !== undefined && existsSync(meta.worktreePath) ? { cwd: meta.worktreePath } : {};
  const agent = isFork ? undefined : agentNamed(deps.agents, agentType);
  const denied = deps.denied.get(agentType);
  if (denied !== undefined) return { refusal: denied };
  if (!isFork && !agent) return { refusal: `there is no definition of ${agentType} any more` };
  if (agent && isOneShot(agent))
    return { refusal: `${agentType} answers once and cannot be asked again; start another` };
  const inherited = agent
    ? await inheritAsAgent(
        { kind: "agent", agent, model: meta.model, isBackground: true, ...place },
        child,
        parent,
        deps,
        signal,
      )
    : inheritAsFork(place, child, parent, deps);
  if ("refusal" in inherited) return inherited;
  const job = startAgent(
    {
      ...{ child, inherited, prompt: message, parent: parent.id, waiter: signal },
      meta: { ...meta, description, requestShape: "background" },
      isResumed: true,
      isBackground: true,
    },
    deps,
  );
  return { job };
}

/** What stands beside the transcript; undefined where no agent of this id has worked in this session. */
function metaOf(id: string, { household: { root, project, sessionId } }: LaunchDeps): SubagentMeta | undefined {
  if (!/^a[\w-]*$/.test(id)) return undefined;
  const path = layoutOf(root).subagentMeta(escapeProjectPath(project), sessionId, id);
  if (!existsSync(path)) return undefined;
  return SubagentMeta.safeParse(readJson(readFileSync(path, "utf8")).value).data;
}
