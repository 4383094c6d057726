export type { Claim, Message, TaskChange, TaskTies, TeamChange as Change } from "@troupe/protocol/rules";
export { maxBytes, maxMessageBytes } from "@troupe/protocol/rules";
export type { Archive, ArchivedList, ArchivedTeam, ArchivedText } from "./archive.ts";
export type { MailView } from "./mail-view.ts";
export { changesBetween, type OverviewChange } from "./overview/changes.ts";
export {
  type MailOverview,
  type Overview,
  overviewOf,
  type RootOverview,
  readOverview,
  readOverviews,
} from "./overview/overview.ts";
export type {
  Found,
  Lease,
  LocatedProblem,
  LookOptions,
  Mail,
  NewTeam,
  Once,
  Onlook,
  PageOptions,
  Participant,
  RecordedEvent,
  RootView,
  Seen,
  Stamp,
  Store,
  Tasks,
  TaskView,
  Team,
  TeamView,
} from "./store.ts";
export { isUnavailable } from "./unavailable.ts";
export { aborted, asleep, firstOf, inTurn, timeLimit } from "./waits.ts";
