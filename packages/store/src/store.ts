import type {
  EntryDraft,
  Form,
  LeadProcess,
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
import type { Claim, Message, TaskChange, TaskTies, TeamChange } from "@troupe/protocol/rules";
import type { MailView } from "./mail-view.ts";

/**
 * The port of every engine. Nothing here names a path; what is acknowledged is kept; every
 * operation can be retried.
 */
export interface Store {
  /**
   * Creates a team with its lead alone. Throws `team_exists` if there is one, and `session_leading`
   * for a session that leads another; nothing is changed then. With a key that created a team
   * before, it opens that one, and throws `team_unknown` once it is gone.
   */
  createTeam(draft: NewTeam, options?: Once): Promise<Team>;
  /** Undefined when there is no such team. */
  openTeam(name: string): Promise<Team | undefined>;
  /** Names in order, without teams that are being removed. */
  listTeams(): Promise<string[]>;
  /**
   * Ends a team as its revision does. Throws `team_active` while a teammate works, unless that is
   * overridden.
   */
  deleteTeam(name: string, options?: { readonly evenIfActive?: boolean }): Promise<void>;
  /** The task list of a session that has no team; any agent may own its tasks. */
  tasksOfSession(sessionId: string): Tasks;
  /** Plans belong to no team, so choose a unique name. */
  savePlan(name: string, text: string): Promise<void>;
  /** Undefined when there is no such plan. */
  readPlan(name: string): Promise<string | undefined>;
  /** For observers that take no part and only look, again and again. */
  onlook(): Onlook;
  /**
   * What participants recorded in the last team of this name that was deleted, oldest first. It is
   * kept for a week.
   */
  past(name: string): AsyncIterableIterator<RecordedEvent>;
  /** Ends its watches and releases its leases. Later calls throw `store_closed`. */
  close(): Promise<void>;
}

/**
 * A key of the caller's own: a retry with the same key changes nothing and returns the result of
 * the first call.
 */
export interface Once {
  readonly once?: string | undefined;
}

/** Time and id of the first try to send: a retry with them sends the very same message. */
export interface Stamp {
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** A UUID. */
  readonly id: string;
}

export interface NewTeam extends TeamDraft {
  /** Default: 2026-02. */
  readonly revision?: Revision;
}

/** A team that exists. */
export interface Team {
  readonly name: string;
  readonly form: Form;
  readonly tasks: Tasks;
  config(): Promise<Found<TeamConfig>>;
  /** Registers a teammate with the next colour; throws `name_taken`, also when two come at once. */
  join(draft: Omit<TeammateDraft, "team" | "color">, options?: Once): Promise<Member>;
  /**
   * Records the process that leads the team from now on; false in 2026-02, which has no place for
   * it.
   */
  claim(process: LeadProcess): Promise<boolean>;
  /** False when there is no such member. */
  updateMember(name: string, patch: Patch<Member, "name" | "agentId">): Promise<boolean>;
  /**
   * False when there is no such member. Throws `lead_fixed` for the lead: a team keeps its lead to
   * its end.
   */
  leave(name: string): Promise<boolean>;
  /**
   * The only way to send and to take: the sender is the handle's member, never what a message says.
   * Throws `member_unknown`.
   */
  as(name: string): Promise<Participant>;
  /** The mail of any member, seen from outside: nothing is taken, and nothing written. */
  mail(name: string): Mail;
  /**
   * The things that changed, each once however often it changed: watch first, look once, then wait
   * for the next. It may report a thing that did not change, and never misses one that did. Ends
   * when it is aborted; keeps the process alive until then.
   */
  watch(signal?: AbortSignal): AsyncIterableIterator<TeamChange, undefined>;
  /**
   * Drops messages that were read from all inboxes and returns their number. Throws as `deleteTeam`
   * does while a teammate works.
   */
  compact(options?: { readonly evenIfActive?: boolean }): Promise<number>;
  /**
   * The events that participants recorded, oldest first, after the event of that id if one is
   * given. It ends with the last one; with a signal it continues with later events until that
   * fires.
   */
  history(after?: string, signal?: AbortSignal): AsyncIterableIterator<RecordedEvent, undefined>;
}

/** The result of a lenient reader: the sound part, and the problems of the rest. */
export type Found<T> = Pick<Read<T>, "value" | "problems">;

/** The mail of one member, as others see it. */
export interface Mail {
  /**
   * The last messages, oldest first; all of them unless it is limited. With `before`, those that
   * stand before the message of that key.
   */
  page(options?: PageOptions): Promise<Found<readonly Message[]>>;
}

export interface PageOptions {
  readonly before?: string | undefined;
  readonly limit?: number | undefined;
}

/** An event that a participant recorded in a team. */
export interface RecordedEvent {
  /** Opaque; what was recorded later stands behind it. */
  readonly id: string;
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** The member that recorded it. */
  readonly by: string;
  readonly event: object;
}

/**
 * The right to consume the mail of one member until it is released, its holder dies, or another
 * process takes it over because its holder was stopped for too long. From then on every call throws
 * `lease_lost` and changes nothing. Keys are opaque, and each is of one message.
 */
export interface Lease {
  /** Tells this holding from every other of the same mail. */
  readonly epoch: string;
  /**
   * The messages not acknowledged yet, oldest first. Taking changes nothing: acknowledge what you
   * have made your own.
   */
  take(): Promise<readonly Message[]>;
  /** As `take`, but waits until there is a message; empty only when it is aborted. */
  wait(signal?: AbortSignal): Promise<readonly Message[]>;
  /** Marks or removes messages that were taken; those that are gone already count as done. */
  acknowledge(keys: ReadonlySet<string>): Promise<void>;
  release(): Promise<void>;
}

/** A member that acts. */
export interface Participant {
  readonly name: string;
  /** The tasks of the team; whom this member gives one to is told by it. */
  readonly tasks: Tasks;
  /**
   * Kept when it resolves. Throws `recipient_unknown` for a name outside the team, and leaves no
   * trace then. Delivered means that the recipient's lease does not hand it out any more. What is
   * sent again with its stamp is not added again while it stands in the mail. Under a key one
   * message is sent to a recipient for ever, whichever process of this member sends it: all get the
   * first.
   */
  send(to: string, content: EntryDraft["content"], stamp?: Stamp, options?: Once): Promise<Message>;
  /**
   * Becomes the one consumer of its own mail; others wait for it, or fail with `lock_unavailable`
   * after fifteen seconds, or those that they give.
   */
  receive(options?: { readonly deadlineMs?: number }): Promise<Lease>;
  /** Adds an event to the history of the team; kept when it resolves. */
  record(event: object): Promise<void>;
}

/** The shared list of a team. */
export interface Tasks {
  /**
   * Under an id that was never given before, with its ties or not at all: throws as `update` does,
   * and no id is used then. A new owner is told as there.
   */
  create(draft: Omit<TaskDraft, "id">, options?: TaskTies & Once, by?: string): Promise<Task>;
  get(id: string): Promise<Found<Task>>;
  /**
   * In the order of the ids; without deleted tasks and other clients' bookkeeping. A file that
   * cannot be read hides no other.
   */
  list(): Promise<{
    readonly tasks: readonly Task[];
    readonly problems: readonly (Problem & { readonly id: string })[];
  }>;
  /** The tasks that could be claimed now, lowest id first. */
  ready(): Promise<readonly Task[]>;
  /**
   * Throws `task_unknown`; `task_cyclic` for an edge that would close a circle; `task_blocked` for
   * a start while another must be done first. Nothing is written then. A new owner is sent an
   * assignment, from the lead unless it says by whom.
   */
  update(id: string, change: TaskChange, by?: string): Promise<Task>;
  /** One winner among any number; the rest change nothing. */
  claim(id: string, agent: string): Promise<Claim>;
  /** The lowest ready task, or undefined when there is none. */
  claimNext(agent: string): Promise<Task | undefined>;
  /**
   * Gives an unfinished task back; only if it is still this agent's, when one is named. False when
   * there was nothing to do.
   */
  release(id: string, agent?: string): Promise<boolean>;
  complete(id: string): Promise<Task>;
  /** Removes the task and every edge to it; its id is not given again. False when there is none. */
  remove(id: string): Promise<boolean>;
}

/**
 * Looks without a lock and writes nothing; an unreadable part hides no other. A part that is being
 * written stays as it was when it was last seen whole, and an unchanged part is the very same
 * object as in the last look.
 */
export interface Onlook {
  /** One team, damaged ones too; undefined where there is none. */
  team(name: string, options?: LookOptions): Promise<Seen<TeamView | undefined>>;
  /** A list of tasks without a team; undefined where there is none. */
  list(name: string, options?: LookOptions): Promise<Seen<TaskView | undefined>>;
  /** All that the store holds, by name. */
  all(options?: LookOptions): Promise<Seen<RootView>>;
}

export interface LookOptions {
  /** Looks again while something is being written, for a second at the most. */
  readonly isPatient?: boolean | undefined;
}

export interface Seen<T> {
  readonly found: T;
  /** False while something that was looked at is being written: look again soon. */
  readonly isSettled: boolean;
}

/** A problem, and where it is: of an engine on files, the file below its root. */
export interface LocatedProblem extends Problem {
  readonly file: string;
}

/**
 * A list of tasks, of a team or of a session that has none, without what is deleted and other
 * clients' bookkeeping.
 */
export interface TaskView {
  readonly team: string;
  readonly tasks: readonly {
    readonly task: Task;
    readonly changedAt: number;
    readonly openBlockers: readonly string[];
  }[];
  /** Ids of tasks that are there and cannot be read. */
  readonly unreadable: readonly string[];
  readonly problems: readonly LocatedProblem[];
}

/** One team. */
export interface TeamView extends TaskView {
  /** Undefined where the config cannot tell. */
  readonly form: Form | undefined;
  readonly config: TeamConfig | undefined;
  /** The mail of members and others, by name. */
  readonly mail: readonly MailView[];
}

/** All that a store holds. */
export interface RootView {
  readonly teams: readonly TeamView[];
  /** Lists that hold something and whose team is gone, or which never had one. */
  readonly lists: readonly TaskView[];
  /** The problems of entries among the teams that are no teams. */
  readonly problems: readonly LocatedProblem[];
}
