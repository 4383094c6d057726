import type { InboxEntry } from "../inbox.ts";
import type { Patch } from "../json/write-json.ts";
import type { MessageDraft, ReadBody } from "../messages/body.ts";
import type { Task } from "../task.ts";
import type { Member, TeamConfig } from "../team.ts";
import type { InboxRead, Read } from "./read.ts";
import type { Form } from "./revision.ts";

/** What a team is made of when it begins. */
export interface TeamDraft {
  readonly name: string;
  readonly description?: string | undefined;
  readonly createdAt: number;
  readonly leadSessionId: string;
  readonly leadName?: string | undefined;
  readonly leadModel: string;
  readonly leadProcess?: TeamConfig["leadProcess"] | undefined;
  readonly cwd: string;
}

/** What a teammate's entry says when it is registered; its pane or loop is not there yet. */
export interface TeammateDraft {
  readonly name: string;
  readonly team: string;
  readonly agentType: string;
  readonly model: string;
  readonly prompt: string;
  readonly color: string;
  readonly planModeRequired?: boolean | undefined;
  readonly joinedAt: number;
  readonly cwd: string;
}

/** A message before it is an entry. */
export interface EntryDraft {
  readonly from: { readonly name: string; readonly color?: string | undefined };
  /** Plain text, which may have a summary, or a structured body, which has none. */
  readonly content: { readonly text: string; readonly summary?: string | undefined } | { readonly body: MessageDraft };
  readonly timestamp: string;
  /** A fresh UUID; a revision without message ids leaves it out. */
  readonly messageId: string;
}

/** A task before it is a document. */
export interface TaskDraft {
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  readonly activeForm?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Everything in which the forms of the protocol differ. Readers never throw; writers are strict. */
export interface Codec {
  readonly form: Form;
  /** Completing a task takes its id out of the `blockedBy` of those that waited; else it stays there, and readers must know. */
  readonly unblocksOnDisk: boolean;
  /** A team's tasks go with the team; else they stay. */
  readonly removesTasksWithTeam: boolean;
  /** A member that gives a task to itself is told so like any other. */
  readonly announcesOwnTasks: boolean;
  /** `.lock` lies beside the tasks from the beginning; else from the first task on. */
  readonly makesLockWithTeam: boolean;
  readTeam(input: string | Uint8Array, directoryName?: string): Read<TeamConfig>;
  readInbox(input: string | Uint8Array): InboxRead;
  /** A task whose id is not the stem of its file is not handed out. */
  readTask(input: string | Uint8Array, fileStem: string): Read<Task>;
  readBody(text: string): ReadBody;
  /** A team with its lead alone. */
  newTeam(draft: TeamDraft): TeamConfig;
  /** An entry still being completed: `amendMember` adds `tmuxPaneId` and `backendType` once the pane or loop is there. */
  newTeammate(draft: TeammateDraft): Member;
  newEntry(draft: EntryDraft): InboxEntry;
  newTask(draft: TaskDraft): Task;
  /**
   * The whole document to write, from the one that was read: what it says beside the patch stays, right or wrong. Refused where the
   * document is not writable or the patch adds a fault of its own.
   */
  amendTeam(read: Read<TeamConfig>, patch: Patch<TeamConfig, "name" | "members">): object;
  addMember(read: Read<TeamConfig>, member: Member): object;
  /** Undefined when the team has no member of that name. */
  amendMember(read: Read<TeamConfig>, name: string, patch: Patch<Member, "name" | "agentId">): object | undefined;
  /** Undefined when the team has no member of that name. */
  removeMember(read: Read<TeamConfig>, name: string): object | undefined;
  amendTask(read: Read<Task>, patch: Patch<Task, "id">): object;
  /** The whole inbox to write, with these entries behind what was read. Refused where the inbox is not writable. */
  append(read: InboxRead, entries: readonly InboxEntry[]): unknown[];
  /** The whole inbox to write, once the entries at these positions of `raw` are taken: marked, or removed. Refused likewise. */
  consume(read: InboxRead, positions: ReadonlySet<number>): unknown[];
  /** The bytes of a document: two-space JSON without a newline at the end. */
  write(document: unknown): string;
}
