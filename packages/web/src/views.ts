/** What a member does: told by shape and word, never by colour alone. */
export type MemberState = "needs_input" | "failed" | "lost" | "working" | "waiting" | "idle" | "unknown";

/** A member, and who says what it does. */
export interface MemberView {
  readonly name: string;
  readonly isLead: boolean;
  readonly agentType: string | null;
  readonly model: string | null;
  readonly color: string | null;
  readonly backend: string | null;
  readonly pane: string | null;
  readonly cwd: string | null;
  readonly state: MemberState;
  /** `log`: its own record; `process`: whether it runs; `roster`: the config of the team. */
  readonly source: "log" | "process" | "roster" | "nothing";
  /** ISO 8601; when the state began, if that is known. */
  readonly since: string | null;
  /** The last thing that it did, in words. */
  readonly line: string | null;
  readonly unread: number;
}

/** A task, without its description. */
export interface TaskCard {
  readonly id: string;
  readonly subject: string;
  readonly status: "pending" | "in_progress" | "completed";
  readonly owner: string | null;
  readonly openBlockers: readonly string[];
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
}

/** One task waits for another. */
export interface EdgeView {
  readonly blocker: string;
  readonly waiting: string;
}

/** A line of a diff. */
export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** What a member asks a person. */
export interface RequestView {
  readonly team: string;
  readonly id: string;
  readonly kind: "permission" | "plan";
  readonly from: string;
  /** ISO 8601. */
  readonly at: string;
  readonly tool: string | null;
  readonly reason: string | null;
  /** The input of the call, but for what the diff shows. */
  readonly fields: readonly { readonly name: string; readonly text: string }[];
  readonly diff: readonly DiffLine[] | null;
  readonly plan: string | null;
  readonly path: string | null;
  readonly digest: string | null;
  /** False where it cannot be looked at whole from here. */
  readonly canAnswer: boolean;
}

/** What is wrong with a file, and what to do. */
export interface ProblemView {
  readonly file: string;
  readonly message: string;
  readonly fix: string;
}

/** A team in short. */
export interface TeamSummary {
  readonly name: string;
  readonly form: "2026-02" | "2026-11" | "between" | null;
  readonly description: string;
  readonly isLive: boolean;
  /** Milliseconds since the epoch; 0 where nothing tells. */
  readonly changedAt: number;
  readonly members: readonly MemberView[];
  readonly requests: readonly RequestView[];
  /** Tasks in progress whose owner does not work on them. */
  readonly stuck: readonly TaskCard[];
  readonly counts: {
    readonly ready: number;
    readonly blocked: number;
    readonly in_progress: number;
    readonly completed: number;
  };
  readonly problems: readonly ProblemView[];
}

/** All teams, and what this page may do. */
export interface TeamsView {
  readonly root: string;
  /** Who acts, where the page may; null where it only looks. */
  readonly person: string | null;
  readonly teams: readonly TeamSummary[];
  readonly problems: readonly ProblemView[];
}

/** A team whole. */
export interface TeamView extends TeamSummary {
  readonly tasks: readonly TaskCard[];
  readonly edges: readonly EdgeView[];
  readonly mail: readonly { readonly agent: string; readonly total: number; readonly unread: number }[];
}

/** A message as it is shown. */
export interface MessageView {
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly at: string;
  /** `text`, or the type of what it says. */
  readonly kind: string;
  readonly line: string;
  readonly text: string;
  readonly isUnread: boolean;
  /** The sender recorded that it sent this. */
  readonly isVouched: boolean;
}

/** A page of messages, oldest first. */
export interface MessagesView {
  readonly messages: readonly MessageView[];
  /** What stands before it, to be asked for with `before`; null at the beginning. */
  readonly before: string | null;
  readonly total: number;
}

/** All that two members said to each other, in short. */
export interface ThreadView {
  readonly between: readonly [string, string];
  readonly total: number;
  readonly unread: number;
  readonly last: Pick<MessageView, "from" | "at" | "kind" | "line">;
}

/** An event of the log, in words. */
export interface EventView {
  readonly id: string;
  readonly at: string;
  readonly by: string;
  readonly kind: string;
  readonly line: string | null;
}

/** A page of the log, oldest first; `last` is where the next page begins. */
export interface LogView {
  readonly events: readonly EventView[];
  readonly last: string | null;
  readonly hasMore: boolean;
}

/** What each member did when. */
export interface TimelineView {
  readonly from: string | null;
  readonly to: string | null;
  readonly lanes: readonly {
    readonly name: string;
    readonly spans: readonly { readonly from: string; readonly to: string | null; readonly state: MemberState }[];
  }[];
  readonly marks: readonly { readonly id: string; readonly at: string; readonly by: string; readonly line: string }[];
  /** So many earlier marks are not shown. */
  readonly earlier: number;
}

/** Tokens and money. */
export interface BillView {
  readonly requests: number;
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  /** In US dollars; null where the price of a model is not known. */
  readonly cost: number | null;
}

/** What the members of a team have used. */
export interface CostView {
  readonly members: readonly { readonly name: string; readonly agents: number; readonly bill: BillView }[];
  readonly forks: readonly {
    readonly member: string;
    readonly description: string;
    readonly cacheRead: number;
    readonly cacheReadLimit: number;
    readonly bill: BillView;
  }[];
  readonly total: BillView;
  readonly unpriced: readonly string[];
}

/** What stands in a conversation. */
export interface ItemView {
  readonly kind: "person" | "words" | "call" | "mail" | "plan" | "notice" | "fault";
  /** Who said it, or the tool that was called. */
  readonly who: string;
  /** What a call or a message of the protocol is about, in a line. */
  readonly about: string;
  readonly text: string;
  readonly diff: readonly DiffLine[] | null;
  readonly isError: boolean;
}

/** An agent below a member. */
export interface AgentView {
  readonly id: string;
  readonly description: string;
  readonly isRunning: boolean;
  readonly children: readonly AgentView[];
}

/** One member from near. */
export interface MemberDetail {
  readonly member: MemberView | null;
  /** Of one that is in the team no more: when and how it went. */
  readonly gone: { readonly at: string; readonly line: string } | null;
  readonly worktree: string | null;
  readonly process: { readonly pid: number; readonly isRunning: boolean } | null;
  readonly session: string | null;
  readonly items: readonly ItemView[];
  /** So many earlier items are not shown. */
  readonly earlier: number;
  readonly agents: readonly AgentView[];
}

/** What the doctor finds. */
export interface DoctorView {
  readonly findings: readonly {
    readonly path: string;
    readonly message: string;
    readonly fix: string;
    readonly isNote: boolean;
    /** A line for a shell; null where no command can. */
    readonly command: string | null;
    readonly why: string | null;
  }[];
}

/** What a person does from the page. */
export type ActView =
  | {
      readonly kind: "answer";
      readonly request: string;
      readonly of: "permission" | "plan";
      readonly decision: "allowed" | "denied";
      readonly note: string;
    }
  | { readonly kind: "send"; readonly to: string | null; readonly text: string }
  | {
      readonly kind: "task";
      readonly id: string | null;
      readonly subject?: string;
      readonly status?: "pending" | "in_progress" | "completed";
      /** Null takes the owner away. */
      readonly owner?: string | null;
    };

/** What came of it, in words. */
export interface ActedView {
  readonly isDone: boolean;
  readonly words: string;
}
