import type { PermissionMode, Revision } from "@troupe/protocol";
import type { RecordedEvent, Store } from "@troupe/store";
import type { Ask, Backend, CallQuestion, Membership, Observation, PlanPolicy, Reply } from "@troupe/team";
import type { Agent } from "../agent/agent.ts";
import type { Conversation, ConversationDeps } from "../agent/conversation.ts";
import type { AgentGates } from "../agent/gates.ts";
import type { Machine } from "../agent/machine.ts";
import type { StartedAgent } from "../agent/session-context.ts";
import type { Hooks } from "../hooks/hooks.ts";
import type { BackgroundTask, BackgroundTasks } from "../jobs/background-task.ts";
import type { JobNews } from "../jobs/job.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { StartRemote } from "../jobs/remote.ts";
import type { Terminal } from "../journal/entry.ts";
import type { RunLimits } from "../loop/ports.ts";
import type { RunEvent } from "../loop/run.ts";
import type { Tool } from "../loop/tool.ts";
import type { ModelOverrides } from "../model/choice.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { KnownAgent } from "../project/definitions.ts";
import type { ProjectSources } from "../project/project.ts";
import type { Skill } from "../skills/skill.ts";
import type { AskUser } from "../tools/ask-user-question.ts";
import type { OtherSessions } from "./other-sessions.ts";
import type { Seat } from "./seat.ts";
import type { attendTeam } from "./turns.ts";

/** The person at a session, or a program in that place. */
export interface Person {
  /** Decides whether a call may run; asked one question at a time. */
  readonly ask: Ask;
  /** Answers questions of the model; without it the model is told that nobody can be asked. */
  readonly choose?: AskUser | undefined;
  /** Reads what hooks have to say, and what went wrong beside the conversation. */
  readonly show?: ((text: string) => void) | undefined;
}

/**
 * An event of a session, for watchers: of its main conversation, or of an agent that it started.
 */
export type SessionEvent = { readonly agent?: StartedAgent | undefined } & (
  | RunEvent
  | { readonly kind: "turn_ended"; readonly terminal: Terminal }
  /** Of an agent: it has begun, is in the background from now on, or has ended. */
  | JobNews
  | { readonly kind: "question"; readonly question: CallQuestion }
  | { readonly kind: "question_closed"; readonly id: string; readonly reply: Reply }
  /** The session took a seat in a team; without a team it left its seat. */
  | { readonly kind: "membership"; readonly team?: string | undefined; readonly name?: string | undefined }
  /** Of a teammate: a turn begins, or it has nothing to do and its lead knows. */
  | { readonly kind: "state"; readonly state: "working" | "idle" }
  /** An observation of a teammate that this session started. */
  | { readonly kind: "teammate"; readonly name: string; readonly seen: Observation }
  /** Of a lead with teammates: what its members record, itself too; `eventIn` reads it. */
  | { readonly kind: "recorded"; readonly recorded: RecordedEvent }
  | { readonly kind: "shown"; readonly text: string }
);

/** How a session works, where that is not as usual. */
export interface SessionOptions {
  readonly revision?: Revision | undefined;
  readonly mode?: PermissionMode | undefined;
  /**
   * The definition that adds to the role what it says: of a teammate the one it was started with.
   */
  readonly agentType?: string | undefined;
  /**
   * The model that it was asked to work with, an alias or an id; without it its definition's, and
   * else that of the key.
   */
  readonly model?: string | undefined;
  readonly isBypassAvailable?: boolean | undefined;
  readonly gates?: Partial<AgentGates> | undefined;
  /** Who approves the plans of teammates: the setting `planApproval`, unless it is said. */
  readonly plans?: PlanPolicy | undefined;
  readonly limits?: Partial<RunLimits> | undefined;
  readonly modelOverrides?: ModelOverrides | undefined;
}

/** Dependencies of a session; nothing is looked up. */
export interface SessionDeps extends Pick<ConversationDeps<Agent>, "model" | "key"> {
  readonly sessionId?: string | undefined;
  readonly machine: Machine;
  readonly project: ProjectSources;
  /** The agent's role. */
  readonly role: string;
  readonly person: Person;
  /** Called with each event, in their order; it must not throw. */
  readonly onEvent?: ((event: SessionEvent) => void) | undefined;
  readonly options?: SessionOptions | undefined;
  /** Tools besides the built-in ones. */
  readonly tools?: readonly Tool<Agent>[] | undefined;
  /**
   * Where teams, tasks and plans are kept; without it the session makes no team and has no plan
   * mode.
   */
  readonly store?: Store | undefined;
  /** The seat that it takes at once. */
  readonly seat?: Seat | undefined;
  /**
   * Where the teammates of a lead run, the one for new ones first; without any none are started.
   */
  readonly backends?: readonly Backend[] | undefined;
  /** Carries texts to other sessions; without it none is reached. */
  readonly otherSessions?: OtherSessions | undefined;
  /** Starts agents on other machines, where the gate `isRemoteEnabled` lets a call ask for one. */
  readonly remote?: StartRemote | undefined;
}

/**
 * An agent with hands: it reads, writes and runs what its settings, its hooks and the person let
 * it.
 */
export interface Session extends Omit<Conversation, "close" | "compact"> {
  readonly id: string;
  readonly transcript: string;
  readonly permissions: Permissions;
  readonly hooks: Hooks;
  /** The agents that work besides the main conversation. */
  readonly jobs: Jobs;
  /** The commands of the main conversation that run in the background. */
  readonly shells: BackgroundTasks;
  /** What the model, the person or both may call by name. */
  readonly skills: readonly Skill[];
  /** The agents that can be started, by their types. */
  readonly agents: readonly Pick<KnownAgent, "agentType" | "whenToUse">[];
  /** Problems in settings, rules and instructions, each with its file. */
  readonly problems: readonly string[];
  /** The id of the model that the main conversation is with. */
  model(): string;
  /**
   * Goes on with another model from its next request on, by an alias or an id; gives the id. The
   * agents that it starts from then on have it too, where they have none of their own.
   */
  switchModel(name: string): string;
  /** The team that the session is in at this moment. */
  membership(): Membership | undefined;
  /**
   * The main conversation only hands work on from now on, or works again: every other tool is
   * refused, and back at once. Agents and teammates are as without it.
   */
  delegate(isOn: boolean): void;
  /**
   * Takes a seat in a team, as its lead or as a teammate. Throws `session_leading` while the
   * session has another.
   */
  enter(seat: Seat): void;
  /** Leaves its seat: no mail is heard any more. The roster stays as it is. */
  leave(): Promise<void>;
  /** Resolves when mail from its team waits; waits for ever where the session is in none. */
  mail(signal: AbortSignal): Promise<void>;
  /**
   * As a member of a team: turn after turn, and idle until mail comes; the lead hears of every end
   * of a turn.
   */
  attendTeam(signal: AbortSignal): ReturnType<typeof attendTeam>;
  /**
   * Takes what a person typed: words for the model as the hooks of UserPromptSubmit leave them, or
   * a command; `/compact` waits until no turn goes on. Returns what the person is shown in the
   * place of a turn: why it was refused, or what a command said; the signal ends a command that
   * runs.
   */
  submit(text: string, signal?: AbortSignal): Promise<string | undefined>;
  /**
   * Takes what a person typed for the shell: it runs when no turn goes on, as the person's own
   * doing. The person is shown what it prints, and the model hears of it with the next words.
   */
  shell(command: string): void;
  /**
   * Sends the commands and agents that the main conversation waits for to the background, where
   * each goes on; returns them. None where nothing may work there.
   */
  background(): readonly BackgroundTask[];
  /** Ends what it started. */
  close(): Promise<void>;
}
