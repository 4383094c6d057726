import { z } from "zod";
import { TroupeError } from "./errors.ts";
import { assertGiven, shown } from "./given.ts";
import { agentName, isAgentName, isTeamName, teamName } from "./names.ts";

/** A member's id, unique on the machine. */
export const AgentId = z
  .string()
  .regex(/^[^@]+@[^@]+$/)
  .meta({ title: "Agent id", description: "`<name>@<team>`.", examples: ["alice@analysis-team"] });
export type AgentId = z.infer<typeof AgentId>;

export const makeAgentId = (agent: string, team: string): AgentId => `${agentName(agent)}@${teamName(team)}`;

export function parseAgentId(id: string): { agent: string; team: string } | undefined {
  const [agent, team, ...rest] = id.split("@");
  if (agent === undefined || team === undefined || rest.length > 0) return undefined;
  return isAgentName(agent) && isTeamName(team) ? { agent, team } : undefined;
}

/** `shutdown-<ms>@<agent>`, the agent being the one asked to stop. */
export const makeShutdownId = (atMs: number, agent: string): string => `shutdown-${time(atMs)}@${agentName(agent)}`;

export function parseShutdownId(id: string): { atMs: number; agent: string } | undefined {
  const match = /^shutdown-([0-9]{1,15})@([^@]+)$/.exec(id);
  return match?.[1] && match[2] && isAgentName(match[2]) ? { atMs: Number(match[1]), agent: match[2] } : undefined;
}

/** `plan_approval-<ms>@<agent>@<team>`, the agent being the one whose plan it is. */
export const makePlanApprovalId = (atMs: number, agent: string, team: string): string =>
  `plan_approval-${time(atMs)}@${makeAgentId(agent, team)}`;

export function parsePlanApprovalId(id: string): { atMs: number; agent: string; team: string } | undefined {
  const match = /^plan_approval-([0-9]{1,15})@(.+)$/.exec(id);
  const who = match?.[2] === undefined ? undefined : parseAgentId(match[2]);
  return match?.[1] && who ? { atMs: Number(match[1]), ...who } : undefined;
}

/** `perm-<ms>-<7 characters of a-z0-9>`. */
export function makePermissionId(atMs: number, suffix: string): string {
  assertGiven("makePermissionId", { suffix }, { suffix: "string" });
  if (/^[a-z0-9]{7}$/.test(suffix)) return `perm-${time(atMs)}-${suffix}`;
  throw new TroupeError("id_invalid", `${JSON.stringify(suffix)} is not 7 characters of a-z and 0-9`, { suffix });
}

export function parsePermissionId(id: string): { atMs: number; suffix: string } | undefined {
  const match = /^perm-([0-9]{1,15})-([a-z0-9]{7})$/.exec(id);
  return match?.[1] && match[2] ? { atMs: Number(match[1]), suffix: match[2] } : undefined;
}

/** The id of an agent's run: `a<16 hex digits>`, or `a<name>-<16 hex digits>` for a named one. */
export function makeRunId(hex: string, agent?: string): string {
  assertGiven("makeRunId", { hex }, { hex: "string" });
  if (/^[0-9a-f]{16}$/.test(hex)) return agent === undefined ? `a${hex}` : `a${agentName(agent)}-${hex}`;
  throw new TroupeError("id_invalid", `${JSON.stringify(hex)} is not 16 hex digits`, { hex });
}

export function parseRunId(id: string): { hex: string; agent: string | undefined } | undefined {
  const match = /^a(?:(.+)-)?([0-9a-f]{16})$/.exec(id);
  if (!match?.[2]) return undefined;
  return match[1] === undefined || isAgentName(match[1]) ? { hex: match[2], agent: match[1] } : undefined;
}

function time(atMs: number): number {
  if (Number.isSafeInteger(atMs) && atMs >= 0 && atMs < 1e15) return atMs;
  throw new TroupeError("id_invalid", `${shown(atMs)} is not a time in milliseconds`, { atMs });
}
