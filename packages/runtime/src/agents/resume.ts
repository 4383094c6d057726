import { existsSync, readFileSync } from "node:fs";
import { escapeProjectPath, layoutOf, readJson, SubagentMeta } from "@troupe/protocol";
import type { Job } from "../jobs/jobs.ts";
import { createAbort } from "../loop/abort.ts";
import type { Household } from "../worker.ts";
import { isOneShot } from "./built-in.ts";
import { agentNamed } from "./definitions.ts";
import { inheritAsAgent, inheritAsFork } from "./inheritance.ts";
import { type LaunchDeps, openPlace, tooMany } from "./launch.ts";
import type { Parent, ParentToBe } from "./parent.ts";
import { startAgent } from "./start.ts";

export type Resumed = { readonly job: Job } | { readonly refusal: string };

/**
 * Sets an agent that has ended to work again with a message, on the transcript it has; that is all that is needed of it, so it may have been
 * of another process. It inherits from the session, not from whoever writes to it, who might be allowed more. Undefined where there is no
 * such agent.
 */
export async function resume(
  id: string,
  message: string,
  signal: AbortSignal,
  sender: Pick<Parent, "id" | "caller">,
  deps: LaunchDeps,
): Promise<Resumed | undefined> {
  const { household, agents, denied, gates } = deps;
  const meta = metaOf(id, household);
  if (!meta) return undefined;
  if (sender.caller.kind === "fork") return { refusal: "a fork does its task itself and sets nobody to work" };
  if (sender.caller.depth >= gates.maxDepth) return { refusal: "it has ended, and you cannot set agents to work" };
  if (household.jobs.running().length >= gates.maxRunning) return tooMany(deps);
  const { agentType, isFork = false, description = agentType, name = agentType, spawnDepth = 0 } = meta;
  const rule = denied.get(agentType);
  if (rule !== undefined) return { refusal: rule };
  const agent = isFork ? undefined : agentNamed(agents, agentType);
  if (!isFork && !agent) return { refusal: `there is no definition of ${agentType} any more` };
  if (agent && isOneShot(agent))
    return { refusal: `${agentType} answers once and cannot be asked again; start another` };
  const earlier = household.jobs.find(id);
  await earlier?.settled;
  const workspace = meta.spawnedWithWorktree ? await openPlace(`agent-${id}`, deps, signal) : undefined;
  if (typeof workspace === "string") return { refusal: workspace };
  const cwd = workspace?.path ?? (typeof meta["cwd"] === "string" ? meta["cwd"] : undefined);
  if (!workspace && cwd !== undefined && !(deps.self().permissions.covers(cwd) && existsSync(cwd)))
    return { refusal: `${cwd}, where it worked, is no directory of the session any more` };
  const place = { cwd };
  const parent: ParentToBe = { ...deps.self(), caller: { kind: "main", depth: spawnDepth } };
  const child = { id, abort: createAbort(), name };
  const inherited = agent
    ? await inheritAsAgent(
        { kind: "agent", agent, model: meta.model, effort: agent.effort, isBackground: true, ...place },
        child,
        parent,
        deps,
        signal,
      )
    : inheritAsFork(place, child, parent, deps);
  const isFull = household.jobs.running().length >= gates.maxRunning;
  if ("refusal" in inherited || signal.aborted || isFull) {
    await Promise.all(["mcp" in inherited && inherited.mcp?.close(), workspace?.release()]);
    if ("refusal" in inherited) return inherited;
    return isFull ? tooMany(deps) : { refusal: "the call was cancelled" };
  }
  const job = startAgent(
    {
      ...{
        child,
        inherited,
        workspace,
        prompt: message,
        parent: sender.id,
        waiter: signal,
        before: earlier?.end()?.usage,
      },
      meta: { ...meta, description, requestShape: "background" },
      isResumed: true,
      isBackground: true,
    },
    deps,
  );
  return { job };
}

/** What stands beside the transcript; undefined where no agent of this id has worked in this session. */
function metaOf(id: string, { root, project, sessionId }: Household): SubagentMeta | undefined {
  if (!/^a[\w-]*$/.test(id)) return undefined;
  const path = layoutOf(root).subagentMeta(escapeProjectPath(project), sessionId, id);
  if (!existsSync(path)) return undefined;
  return SubagentMeta.safeParse(readJson(readFileSync(path, "utf8")).value).data;
}
