import type {
  EntryDraft,
  Form,
  Member,
  Patch,
  Problem,
  Read,
  Revision,
  Task,
  TaskDraft,
  TeamConfig,
  TeamDraft,
  TeammateDraft,
} from "@troupe/protocol";
import type { Claim, Message, TaskChange, TeamChange } from "@troupe/protocol/rules";
import type { Inbox } from "./files/inbox.ts";

/** What any engine must offer. Nothing here names a path; what is acknowledged is kept; every operation can be tried again. */
export interface Store {
  /**
   * Makes a team with its lead alone. Throws `team_exists` where there is one, and `session_leading` for a session that leads another;
   * nothing is touched then.
   */
  createTeam(draft: NewTeam): Promise<Team>;
  /** Undefined where there is no such team. */
  openTeam(name: string): Promise<Team | undefined>;
  /** Names in order; what is being removed is no team any more. */
  listTeams(): Promise<string[]>;
  /** Ends a team as its revision does. Throws `team_active` while a teammate works, unless that is overridden. */
  deleteTeam(name: string, options?: { readonly evenIfActive?: boolean }): Promise<void>;
  /** The list of a session that has no team; anybody may own its tasks. */
  tasksOfSession(sessionId: string): Tasks;
  /** Plans belong to no team; a name is one that nobody else would choose. */
  savePlan(name: string, text: string): Promise<void>;
  /** Undefined where there is no such plan. */
  readPlan(name: string): Promise<string | undefined>;
}

export interface NewTeam extends TeamDraft {
  /** 2026-02 unless it is said. */
  readonly revision?: Revision;
}

/** A team that exists. */
export interface Team {
  readonly name: string;
  readonly form: Form;
  readonly tasks: Tasks;
  config(): Promise<Sight<TeamConfig>>;
  /** Registers a teammate with the next colour; throws `name_taken`, also when two come at once. */
  join(draft: Omit<TeammateDraft, "team" | "color">): Promise<Member>;
  /** False when there is no such member. */
  updateMember(name: string, patch: Patch<Member, "name" | "agentId">): Promise<boolean>;
  /** False when there is no such member. Throws `lead_fixed` for the lead: a team is led by whoever made it, to its end. */
  leave(name: string): Promise<boolean>;
  /** The one way to send: the sender is whose handle it is, never what a message says. Throws `member_unknown`. */
  as(name: string): Promise<Participant>;
  /** Anybody's inbox, to look at from outside. */
  inbox(name: string): Inbox;
  /**
   * What changed, once for however many changes of one thing: watch first, look once, then wait for the next. It may tell of something that
   * did not change, and never misses what did. Ends when it is aborted; keeps the process alive until then.
   */
  watch(signal?: AbortSignal): AsyncIterableIterator<TeamChange, undefined>;
  /** Drops messages that were read from all inboxes; says how many. Throws as `deleteTeam` does while a teammate works. */
  compact(options?: { readonly evenIfActive?: boolean }): Promise<number>;
}

/** What a reader got: what is sound, and what is wrong with the rest. */
export type Sight<T> = Pick<Read<T>, "value" | "problems">;

/** A member that acts. */
export interface Participant {
  readonly name: string;
  readonly inbox: Inbox;
  /** The tasks of the team; whom this member gives one to is told by it. */
  readonly tasks: Tasks;
  /**
   * On disk when it resolves. Throws `recipient_unknown` for a name outside the team, and leaves no trace then. The recipient has it once
   * its inbox does not hand it out any more.
   */
  send(to: string, content: EntryDraft["content"]): Promise<Message>;
}

/** The shared list of a team. */
export interface Tasks {
  /** Under an id that was never given before. */
  create(draft: Omit<TaskDraft, "id">): Promise<Task>;
  get(id: string): Promise<Sight<Task>>;
  /** In the order of the ids; without deleted tasks and other clients' bookkeeping. A file that cannot be read hides no other. */
  list(): Promise<{
    readonly tasks: readonly Task[];
    readonly problems: readonly (Problem & { readonly id: string })[];
  }>;
  /** What somebody could take now, lowest id first. */
  ready(): Promise<readonly Task[]>;
  /**
   * Throws `task_unknown`; `task_cyclic` for an edge that would close a circle; `task_blocked` for a start while another must be done
   * first. Nothing is written then. A new owner is sent an assignment, from the lead unless it says by whom.
   */
  update(id: string, change: TaskChange, by?: string): Promise<Task>;
  /** One winner among any number; the rest change nothing. */
  claim(id: string, agent: string): Promise<Claim>;
  /** The lowest ready task, or undefined when there is none. */
  claimNext(agent: string): Promise<Task | undefined>;
  /** Gives an unfinished task back; only if it is still this agent's, when one is named. False when there was nothing to do. */
  release(id: string, agent?: string): Promise<boolean>;
  complete(id: string): Promise<Task>;
  /** Removes the task and every edge to it; its id is not given again. False when there is none. */
  remove(id: string): Promise<boolean>;
}
