export type { Agent } from "./agent/agent.ts";
export { type Conversation, type ConversationDeps, openConversation } from "./agent/conversation.ts";
export type { AgentGates } from "./agent/gates.ts";
export type { Machine } from "./agent/machine.ts";
export { createSeenFiles, type SeenFiles } from "./agent/seen-files.ts";
export { createShells, type Shells, type ShellsDeps } from "./agent/shells.ts";
export type { Confinement, WritablePlaces } from "./confinement/confinement.ts";
export { type ConfinementDeps, type FoundConfinement, findConfinement } from "./confinement/find.ts";
export type { Hooks } from "./hooks/hooks.ts";
export type { Job, JobEnd, JobNews, JobStart, JobUsage } from "./jobs/job.ts";
export { createJobs, type Jobs } from "./jobs/jobs.ts";
export type { RemoteAgent, RemoteTask, StartRemote } from "./jobs/remote.ts";
export type { AbortReason, Entry, ForkPoint, Input, Origin, Priority, Stored, Terminal } from "./journal/entry.ts";
export { entriesAt, type Journal, type JournalDeps, openJournal } from "./journal/journal.ts";
export type { Identity } from "./journal/lines.ts";
export type { State } from "./journal/state.ts";
export { type Abort, createAbort } from "./loop/abort.ts";
export {
  type CacheSafeParams,
  cacheSafeParamsOf,
  type ForkedAgentDeps,
  type ForkedAgentResult,
} from "./loop/forked-agent.ts";
export type { RunLimits } from "./loop/ports.ts";
export { type RunEvent, runForkedAgent } from "./loop/run.ts";
export type { Bounds, Judge, Judgement, PendingCall, Reach, Tool, ToolContext, ToolOutcome } from "./loop/tool.ts";
export { typedTool } from "./loop/typed-tool.ts";
export { costOf } from "./model/catalog.ts";
export { chooseModel, type ModelChoice, type ModelOverrides, modelAliases } from "./model/choice.ts";
export { bytesOf, type CacheKey, type FrozenRequest } from "./model/frozen.ts";
export type { Answer, Block, FailureKind, Model, ModelEvent, ModelFailure, Usage } from "./model/model.ts";
export { type Line, type Script, scriptedModel } from "./model/scripted.ts";
export { createPermissions, type Permissions, type PermissionsDeps } from "./permissions/permissions.ts";
export {
  agentNamed,
  type DefinitionPlaces,
  type DefinitionSource,
  type FoundDefinition,
  findDefinitions,
  type KnownAgent,
  loadDefinitions,
} from "./project/definitions.ts";
export type { ProjectSources } from "./project/project.ts";
export type { Command, CommandDraft, Mode, Queue } from "./queue.ts";
export {
  type Attendance,
  attendHeadless,
  attendInteractive,
  type Headless,
  type Interactive,
} from "./session/attend.ts";
export { type EffectiveDeps, type EffectiveValue, effectiveDefinition } from "./session/effective.ts";
export { openSession } from "./session/open.ts";
export type { OtherSessions, SentAfar } from "./session/other-sessions.ts";
export type { Seat } from "./session/seat.ts";
export { seatBefore, seatOf } from "./session/seats.ts";
export type { Person, Session, SessionDeps, SessionEvent, SessionOptions } from "./session/session.ts";
export { type DefinitionFault, definitionFiles, type UnreadableFile } from "./settings/definition-files.ts";
export { settingsOf } from "./settings/of-folder.ts";
export { openTrust, type Trust } from "./settings/trust.ts";
export type { Skill } from "./skills/skill.ts";
export type { AskUser, UserQuestion } from "./tools/ask-user-question.ts";
export { builtInTools, type Hands, type ToolsDeps } from "./tools/index.ts";
export type { Workspace, WorkspaceChoice, Workspaces } from "./workspace.ts";
