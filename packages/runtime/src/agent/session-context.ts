import type { Revision } from "@troupe/protocol";
import type { AgentResult } from "@troupe/protocol/tools";
import type { Membership } from "@troupe/team";
import type { BackgroundTasks } from "../jobs/background-task.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { RemoteAgents } from "../jobs/remote.ts";
import type { SessionLease } from "../journal/lease.ts";
import type { RunLimits } from "../loop/ports.ts";
import type { RunEvent } from "../loop/run.ts";
import type { Tool } from "../loop/tool.ts";
import type { ModelOverrides } from "../model/choice.ts";
import type { Model } from "../model/model.ts";
import type { KnownAgent } from "../project/definitions.ts";
import type { Instruction } from "../prompt/instructions.ts";
import type { Environment } from "../prompt/system.ts";
import type { Queue } from "../queue.ts";
import type { Skill } from "../skills/skill.ts";
import type { Workspaces } from "../workspace.ts";
import type { Agent } from "./agent.ts";
import type { AgentGates } from "./gates.ts";
import type { Machine } from "./machine.ts";
import type { Task } from "./task.ts";

/** Parts that all agents of a session share. */
export interface SessionContext {
  readonly machine: Machine & { readonly now: () => Date; readonly newId: () => string };
  /** The folder the session was opened in. */
  readonly project: string;
  /** The user whose part of the temporary directory holds the outputs of agents. */
  readonly uid: number;
  readonly sessionId: string;
  readonly revision: Revision;
  readonly gitBranch?: string | undefined;
  readonly model: Model;
  readonly modelOverrides?: ModelOverrides | undefined;
  readonly limits: Partial<RunLimits>;
  readonly gates: AgentGates;
  readonly queue: Queue;
  readonly jobs: Jobs;
  /** Messages that set an agent to work just now, by its id. */
  readonly resuming: Map<string, Promise<unknown>>;
  readonly skills: readonly Skill[];
  readonly agents: readonly KnownAgent[];
  readonly instructions: readonly Instruction[];
  /** Facts about the machine for the system prompt. */
  readonly promptEnvironment: Environment;
  /** The tools of an agent, in the order its model sees them, which is part of the prefix. */
  readonly tools: (agent: Agent) => readonly Tool<Agent>[];
  /** Why an agent has no tool of this name, where another has one. */
  readonly whyLacking?: ((name: string, agent: Agent) => string | undefined) | undefined;
  /** Makes places for agents that are not to get in each other's way. */
  readonly workspaces?: Workspaces | undefined;
  /** The team that the session is in at this moment, as its main conversation acts in it. */
  readonly membership: () => Membership | undefined;
  /**
   * Adds a member to the team of the main conversation and sets it to work; absent where none can
   * be started.
   */
  readonly spawnTeammate?: ((wish: TeammateWish, signal: AbortSignal) => Promise<SpawnedTeammate>) | undefined;
  /** Sets agents to work on other machines; absent where there are none. */
  readonly remote?: RemoteAgents | undefined;
  /** The teammates that the session leads, as work in the background. */
  readonly teammates?: (() => BackgroundTasks | undefined) | undefined;
  /** The lease that lets this process write the transcripts of the session. */
  readonly lease: SessionLease;
  /** Shows the user what hooks have to say. */
  readonly show: (message: string) => void;
  /** Called with what the agents do that the session starts. */
  readonly onAgentEvent: (agent: StartedAgent, event: RunEvent) => void;
}

/** An agent below the main conversation, as watchers know it. */
export interface StartedAgent {
  readonly id: string;
  readonly description: string;
  /** The call that started it. */
  readonly call?: string | undefined;
}

/** A teammate as an agent asks for it. */
export interface TeammateWish {
  readonly name: string;
  readonly team: string;
  /** Its definition; without one it is whatever a teammate is. */
  readonly agent?: KnownAgent | undefined;
  /** Why the call came to a teammate, in words for the model. */
  readonly why: string;
  readonly task: Task;
  /** The agent that asks. */
  readonly caller: Agent;
}

/** The outcome of the wish. */
export type SpawnedTeammate =
  | {
      readonly teammate: Extract<AgentResult, { readonly status: "teammate_spawned" }>;
      /** What the call came to and why, and the model that works. */
      readonly route: string;
    }
  | { readonly refusal: string };
