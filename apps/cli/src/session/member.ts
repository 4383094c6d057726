import { allowsTool, assertWritable, knownTools, type PermissionMode } from "@troupe/protocol";
import { type Session, seatOf } from "@troupe/runtime";
import { wasSpawned } from "@troupe/team";
import type { Call } from "../command.ts";
import { openTeam, type StorePlace } from "../open.ts";
import { openRealSession, type SessionWish } from "./compose.ts";
import { codingRole } from "./role.ts";

/** A teammate, as its lead names it. */
export interface MemberWish extends Pick<SessionWish, "model" | "sessionId" | "definitions" | "onEvent"> {
  readonly teamName: string;
  readonly agentName: string;
  readonly agentType: string;
  readonly agentColor: string | undefined;
  readonly planModeRequired: boolean;
  readonly permissionMode?: PermissionMode | undefined;
  /** What it may do without being asked about it. */
  readonly allowedTools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  /** The built-in tools it has; all of them if it is not said. */
  readonly tools?: readonly string[] | undefined;
  /** The lead signs what it sends. */
  readonly hasKey?: boolean | undefined;
  /** The person at the lead's screen, for a teammate in its process. */
  readonly bridge?: NonNullable<SessionWish["seat"]>["bridge"];
}

/** The type whose definition says no more than the role does. */
const plainType = "general-purpose";

/** Opens the session of a teammate, in a process of its own or in that of its lead. */
export async function openMember(
  call: StorePlace & Pick<Call, "home" | "cwd" | "note">,
  {
    teamName,
    agentName,
    agentType,
    agentColor,
    planModeRequired,
    permissionMode,
    hasKey,
    bridge,
    allowedTools = [],
    disallowedTools = [],
    tools,
    ...wish
  }: MemberWish,
): Promise<Session> {
  const team = await openTeam(call, teamName);
  assertWritable(team.form);
  return openRealSession(call, {
    ...wish,
    allowed: allowedTools,
    denied: [...disallowedTools, ...notAmong(tools)],
    role: codingRole,
    options: {
      revision: team.form === "2026-11" ? team.form : "2026-02",
      isBypassAvailable: permissionMode === "bypassPermissions",
      mode: planModeRequired ? "plan" : permissionMode,
      agentType: agentType === plainType ? undefined : agentType,
    },
    seat: {
      ...(await seatOf(team, agentName)),
      color: agentColor,
      isSpawned: await wasSpawned(team, agentName),
      planModeRequired,
      hasKey,
      bridge,
    },
  });
}

/**
 * The built-in tools that these leave out; the team tools always stay, so that a member can
 * reach the others.
 */
const notAmong = (tools: readonly string[] | undefined): readonly string[] =>
  tools === undefined ? [] : [...knownTools].filter((name) => !allowsTool({ tools }, name) && !teamTools.has(name));

const teamTools: ReadonlySet<string> = new Set(["SendMessage", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"]);
