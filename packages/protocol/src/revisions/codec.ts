import type { InboxEntry } from "../inbox.ts";
import type { JsonInput } from "../json/read-json.ts";
import type { Patch } from "../json/write-json.ts";
import type { MessageDraft, ReadBody } from "../messages/body.ts";
import type { Task } from "../task.ts";
import type { Member, TeamConfig } from "../team.ts";
import type { InboxRead, Read } from "./read.ts";
import type { Form } from "./revision.ts";

/** The initial content of a team. */
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

/** A teammate's entry at registration; its pane or loop does not exist yet. */
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

/** The words of a message. */
export interface TextDraft {
  readonly text: string;
  readonly summary?: string | undefined;
  /**
   * The recipient is not to finish its request to the model first: a further field of the entry,
   * which other implementations ignore.
   */
  readonly urgent?: true | undefined;
}

/** A message before it is an entry. */
export interface EntryDraft {
  readonly from: { readonly name: string; readonly color?: string | undefined };
  /** Plain text, which may have a summary, or a structured body, which has none. */
  readonly content: TextDraft | { readonly body: MessageDraft };
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

/**
 * Everything in which the forms of the protocol differ. Readers never throw; writers are strict.
 */
export interface Codec {
  readonly form: Form;
  /**
   * Whether completing a task removes its id from the `blockedBy` of others; if not, readers must
   * know.
   */
  readonly unblocksOnDisk: boolean;
  /** A team's tasks go with the team; else they stay. */
  readonly removesTasksWithTeam: boolean;
  /** A member that gives a task to itself is told so like any other. */
  readonly announcesOwnTasks: boolean;
  /** `.lock` lies beside the tasks from the beginning; else from the first task on. */
  readonly makesLockWithTeam: boolean;
  readTeam(input: JsonInput, directoryName?: string): Read<TeamConfig>;
  readInbox(input: JsonInput): InboxRead;
  /** A task whose id is not the stem of its file is not handed out. */
  readTask(input: JsonInput, fileStem: string): Read<Task>;
  readBody(text: string): ReadBody;
  /** A team with its lead alone. */
  newTeam(draft: TeamDraft): TeamConfig;
  /**
   * An entry to be completed: `amendMember` adds `tmuxPaneId` and `backendType` once they exist.
   */
  newTeammate(draft: TeammateDraft): Member;
  newEntry(draft: EntryDraft): InboxEntry;
  newTask(draft: TaskDraft): Task;
  /**
   * The whole document to write: what was read, with the patch applied and everything else kept,
   * right or wrong. Throws if the document is not writable or the patch adds an error.
   */
  amendTeam(read: Read<TeamConfig>, patch: Patch<TeamConfig, "name" | "members">): object;
  addMember(read: Read<TeamConfig>, member: Member): object;
  /** Undefined when the team has no member of that name. */
  amendMember(read: Read<TeamConfig>, name: string, patch: Patch<Member, "name" | "agentId">): object | undefined;
  /** Undefined when the team has no member of that name. */
  removeMember(read: Read<TeamConfig>, name: string): object | undefined;
  amendTask(read: Read<Task>, patch: Patch<Task, "id">): object;
  /** The whole inbox to write: what was read, then these entries. Throws if it is not writable. */
  append(read: InboxRead, entries: readonly InboxEntry[]): unknown[];
  /**
   * The whole inbox to write after taking the entries at these positions of `raw`: marked or
   * removed. Throws likewise.
   */
  consume(read: InboxRead, positions: ReadonlySet<number>): unknown[];
  /** The bytes of a document: two-space JSON without a newline at the end. */
  write(document: unknown): string;
}
