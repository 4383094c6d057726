import { isReservedName, type Revision } from "@troupe/protocol";
import { agentInputProblems } from "@troupe/protocol/tools";
import type { Agent } from "../agent/agent.ts";
import type { AgentGates } from "../agent/gates.ts";
import type { AgentCall } from "../agent/task.ts";
import { agentNamed, type KnownAgent } from "../project/definitions.ts";

/** The calling agent. */
export interface Caller {
  readonly kind: Agent["kind"] | "teammate";
  readonly depth: number;
  /** The team that its session is in; only the main conversation acts in it. */
  readonly team?: string | undefined;
}

/** An agent as a caller, at this moment: its session may have become part of a team meanwhile. */
export function callerOf({ kind, depth, session }: Pick<Agent, "kind" | "depth" | "session">): Caller {
  const membership = kind === "main" ? session.membership() : undefined;
  if (!membership) return { kind, depth };
  return { kind: membership.isLead ? "main" : "teammate", depth, team: membership.team.name };
}

/** Whether what such a caller waits for may go on in the background: nobody hears a teammate's. */
export const mayLeave = ({ kind }: Caller, { isBackgroundDisabled }: AgentGates): boolean =>
  kind !== "teammate" && !isBackgroundDisabled;

export interface Situation {
  readonly revision: Revision;
  readonly gates: AgentGates;
  readonly caller: Caller;
  readonly agents: readonly KnownAgent[];
  /** Types that a rule forbids: a call that names one was refused before, and none is suggested. */
  readonly denied: () => Pick<ReadonlyMap<string, string>, "has">;
}

/** The outcome of a call. */
export type Route =
  | {
      readonly kind: "agent";
      readonly agent: KnownAgent;
      /** By alias or id; the caller's where it is absent. */
      readonly model?: string | undefined;
      readonly effort?: string | number | undefined;
      readonly isBackground: boolean;
      readonly isolation?: "worktree" | undefined;
      readonly cwd?: string | undefined;
      /** Why it came to this, in words for the model. */
      readonly why: string;
    }
  | {
      readonly kind: "fork";
      readonly isolation?: "worktree" | undefined;
      readonly cwd?: string | undefined;
      readonly why: string;
    }
  | {
      readonly kind: "teammate";
      readonly name: string;
      readonly team: string;
      readonly agent?: KnownAgent | undefined;
      readonly why: string;
    }
  | { readonly kind: "remote" }
  | { readonly kind: "refused"; readonly why: string };

const refused = (why: string): Route => ({ kind: "refused", why });

/**
 * Decides what runs, or says why nothing does. A type that is refused or unknown is never replaced
 * by another.
 */
export function routeOf(call: AgentCall, { revision, gates, caller, agents, denied }: Situation): Route {
  if (caller.kind === "fork")
    return refused("a fork does its task itself and starts no agents; go on with your own tools");
  const asked = call.subagent_type;
  if (call.name !== undefined && isReservedName(call.name))
    return refused(`an agent called ${JSON.stringify(call.name)} would pass for somebody else; choose another name`);
  const teammate = teammateRoute();
  if (teammate) return teammate;
  if (caller.depth >= gates.maxDepth)
    return refused(
      `agents may start agents down to a depth of ${gates.maxDepth}, and this one is there; do the task yourself`,
    );
  const isolation = call.isolation;
  if (isolation === "remote") {
    if (gates.isRemoteEnabled) return { kind: "remote" };
    return refused("no other machine is there to work on; leave isolation out, or say worktree");
  }
  const cwd = gates.isCwdEnabled ? call.cwd : undefined;
  // In 2026-02 a call is wrong by what it says, whether it would have had the directory or not.
  const [contradiction] = agentInputProblems({ cwd: revision === "2026-02" ? call.cwd : cwd, isolation });
  if (contradiction && !gates.isCwdStronger) return refused(`${contradiction.message}; ${contradiction.fix}`);
  // A directory of one's own beats a worktree of one's own.
  const place = (own: "worktree" | "remote" | undefined) =>
    cwd === undefined ? { isolation: own === "worktree" ? own : undefined } : { cwd };
  const why = [
    asked === undefined ? `no subagent_type was given${noFork()}` : `subagent_type is ${asked}`,
    call.name === undefined ? "" : `, and a name makes no teammate of it: ${noTeam()}`,
  ].join("");
  if (asked === "fork" || (asked === undefined && forksByDefault())) return { kind: "fork", ...place(isolation), why };
  const found = named(asked ?? "general-purpose");
  if ("why" in found) return refused(found.why);
  const { agent } = found;
  const background = inBackground(agent);
  if (typeof background === "string") return refused(background);
  return {
    kind: "agent",
    agent,
    model: (gates.isCoordinator ? undefined : call.model) ?? agent.model,
    effort: call.effort ?? agent.effort,
    isBackground: background,
    ...place(isolation ?? agent.isolation),
    why,
  };

  function noTeam(): string {
    if (caller.team === undefined) return "you are in no team";
    return asked === "fork" ? "a fork is none" : "only the main conversation adds to the team";
  }

  function forksByDefault(): boolean {
    return revision === "2026-02" && gates.isForkEnabled && gates.isInteractive && !gates.isCoordinator;
  }

  function noFork(): string {
    if (forksByDefault()) return "";
    if (revision === "2026-11") return "; only subagent_type fork makes a fork";
    const lack = !gates.isForkEnabled
      ? "forks are not enabled"
      : gates.isCoordinator
        ? "a coordinator starts none"
        : "nobody sits at the session";
    return `; it is no fork, since ${lack}`;
  }

  function named(type: string): { readonly agent: KnownAgent } | { readonly why: string } {
    const agent = agentNamed(agents, type);
    if (agent) return { agent };
    const isDenied = denied();
    const names = agents.filter(({ agentType }) => !isDenied.has(agentType)).map(({ agentType }) => agentType);
    return { why: `there is no agent of the type ${JSON.stringify(type)}; there are ${names.join(", ") || "none"}` };
  }

  /**
   * A name makes an agent of a team's member a teammate. The roster is flat: a teammate adds nobody
   * to it.
   */
  function teammateRoute(): Route | undefined {
    const { name, team_name } = call;
    if (call.isolation === "remote") return undefined;
    const isOfTeam =
      revision === "2026-02" ? team_name !== undefined || caller.team !== undefined : caller.team !== undefined;
    if (name === undefined || !isOfTeam) return undefined;
    if (caller.kind === "teammate")
      return refused("a teammate cannot add teammates; ask the lead for one, or leave out name and team_name");
    if (revision === "2026-11" && (caller.kind !== "main" || asked === "fork")) return undefined;
    const team = (revision === "2026-02" ? team_name : undefined) ?? caller.team ?? "";
    const why = `a name was given, and ${caller.team === undefined ? "team_name" : "you lead a team"}`;
    if (asked === undefined) return { kind: "teammate", name, team, why };
    const found = named(asked);
    return "why" in found ? refused(found.why) : { kind: "teammate", name, team, agent: found.agent, why };
  }

  /** Whether nobody waits for the agent, or why it cannot be so. */
  function inBackground(agent: KnownAgent): boolean | string {
    const isAsked = call.run_in_background === true || agent.background === true;
    if (caller.kind === "teammate") {
      const isRefused = revision === "2026-02" ? isAsked : agent.background === true;
      return isRefused ? "a teammate cannot start agents in the background; leave out run_in_background" : false;
    }
    if (gates.isBackgroundDisabled) return false;
    if (isAsked || gates.isCoordinator || gates.isAlwaysBackground) return true;
    if (revision === "2026-02") return forksByDefault();
    return gates.isInteractive || call.run_in_background !== false || call.name !== undefined;
  }
}
