import type { Membership } from "@troupe/team";
import { definedParts, type SubagentPromptDeps } from "../agents/subagent-prompt.ts";
import type { Block } from "../model/model.ts";
import { type SystemParts, systemPrompt, type TeamContext } from "../prompt/system.ts";
import { type PlanStore, planFileOf } from "../tools/plan-mode.ts";

export interface MainPromptDeps
  extends Pick<SystemParts, "role" | "instructions" | "environment" | "absentServers">,
    Pick<SubagentPromptDeps, "root" | "skills"> {
  readonly sessionId: string;
  readonly cwd: string;
  /** Absent where there are no plans. */
  readonly store: PlanStore | undefined;
  /** It works in plan mode until its lead has approved its plan. */
  readonly isPlanning: boolean;
  /** Its definition, which adds to the role. */
  readonly agent?: SubagentPromptDeps["agent"] | undefined;
  readonly membership: Membership | undefined;
}

/**
 * The system prompt of the main conversation. A teammate is told of its team as it is when it
 * begins.
 */
export async function mainPrompt(deps: MainPromptDeps): Promise<readonly Block[]> {
  const { agent, membership, sessionId, root, cwd, store, isPlanning, skills, ...parts } = deps;
  const defined = agent && (await definedParts({ agent, root, project: cwd, skills }));
  const plan = isPlanning && store ? planFileOf(sessionId, { root, store }).path : undefined;
  const team = membership && !membership.isLead ? { ...(await teamOf(membership)), plan } : undefined;
  return systemPrompt({ ...parts, ...defined, role: [parts.role, defined?.role ?? ""].join("\n\n").trim(), team });
}

async function teamOf({ team, self }: Membership): Promise<TeamContext> {
  const { value } = await team.config();
  const members = (value?.members ?? []).map(({ name, agentType }) => ({ name, agentType }));
  return { name: team.name, member: self.name, members };
}
