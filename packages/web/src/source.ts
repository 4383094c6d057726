import type {
  ActedView,
  ActView,
  CostView,
  DoctorView,
  LogView,
  MemberDetail,
  MessagesView,
  TeamsView,
  TeamView,
  ThreadView,
  TimelineView,
} from "./views.ts";

/** A page of messages that is asked for. */
export interface PageAsked {
  readonly before?: string | undefined;
}

/** A page of the log that is asked for; without a place the last one. */
export interface LogAsked {
  readonly after?: string | undefined;
}

/**
 * Where the page gets what it shows: made anew at each look, undefined where there is no such team
 * or member.
 */
export interface Source {
  teams(): Promise<TeamsView>;
  team(name: string): Promise<TeamView | undefined>;
  member(team: string, name: string): Promise<MemberDetail | undefined>;
  inbox(team: string, name: string, asked: PageAsked): Promise<MessagesView | undefined>;
  threads(team: string): Promise<readonly ThreadView[] | undefined>;
  thread(team: string, one: string, other: string, asked: PageAsked): Promise<MessagesView | undefined>;
  log(team: string, asked: LogAsked): Promise<LogView | undefined>;
  timeline(team: string): Promise<TimelineView | undefined>;
  cost(team: string): Promise<CostView | undefined>;
  doctor(): Promise<DoctorView>;
  /**
   * One hint for each time that a view of the team may be another, of all teams without a name;
   * ends when the signal fires.
   */
  changes(team: string | undefined, signal: AbortSignal): AsyncIterable<void>;
  /** Undefined where the page only looks. */
  readonly act: ((team: string, act: ActView) => Promise<ActedView | undefined>) | undefined;
}
