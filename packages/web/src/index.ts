export { type Asset, type Assets, readAssets } from "./assets.ts";
export { type Limits, serveWeb, usualLimits, type WebDeps, type WebServed } from "./server.ts";
export type { LogAsked, PageAsked, Source } from "./source.ts";
export type {
  ActedView,
  ActView,
  AgentView,
  BillView,
  CostView,
  DiffLine,
  DoctorView,
  EdgeView,
  EventView,
  ItemView,
  LogView,
  MemberDetail,
  MemberState,
  MemberView,
  MessagesView,
  MessageView,
  ProblemView,
  RequestView,
  TaskCard,
  TeamSummary,
  TeamsView,
  TeamView,
  ThreadView,
  TimelineView,
} from "./views.ts";
