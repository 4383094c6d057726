export { type Agent, type AgentDeps, openAgent } from "./agent.ts";
export { builtInAgents, isOneShot } from "./agents/built-in.ts";
export { definitionFiles, type UnreadableFile } from "./agents/definition-files.ts";
export {
  agentNamed,
  type DefinitionFault,
  type DefinitionPlaces,
  type DefinitionSource,
  type FoundDefinition,
  findDefinitions,
  type KnownAgent,
  type LoadedDefinitions,
  loadDefinitions,
} from "./agents/definitions.ts";
export { agentListing, deniedAgents, offeredAgents } from "./agents/denied.ts";
export type { LaunchDeps, Task } from "./agents/launch.ts";
export { type AgentGates, usualGates } from "./agents/route.ts";
export { type Attendance, attendHeadless, attendInteractive, type Headless, type Interactive } from "./attend.ts";
export { type AskModelDeps, askModel } from "./hooks/ask-model.ts";
export {
  createHooks,
  type HookedAgent,
  type HookSource,
  type HookSurroundings,
  type Hooks,
  type HooksDeps,
} from "./hooks/hooks.ts";
export {
  answerWithHooks,
  type HookJudgeDeps,
  type HookReports,
  judgeWithHooks,
  mayStopWithHooks,
  type Permit,
} from "./hooks/judge.ts";
export type { HookOutcome } from "./hooks/outcome.ts";
export type { Ask as AskJudge } from "./hooks/prompt-hook.ts";
export type { BackgroundStatus, BackgroundTask, BackgroundTasks } from "./jobs/background-task.ts";
export { createJobs, type Job, type JobEnd, type JobStart, type Jobs, type JobUsage } from "./jobs/jobs.ts";
export type { AbortReason, Entry, ForkPoint, Input, StopVerdict, Stored, Terminal } from "./journal/entry.ts";
export { type Journal, type JournalDeps, openJournal } from "./journal/journal.ts";
export type { Identity } from "./journal/lines.ts";
export { type TranscriptOwner, transcriptPath, writeSubagentMeta } from "./journal/place.ts";
export type { State } from "./journal/state.ts";
export { type Abort, createAbort } from "./loop/abort.ts";
export { type Action, decide, type Limits } from "./loop/decide.ts";
export type { Arrival, Inputs, Ports, RunLimits } from "./loop/ports.ts";
export { type RunEvent, run } from "./loop/run.ts";
export type { Judge, Judgement, PendingCall, Reach, Tool, ToolContext, ToolOutcome } from "./loop/tool.ts";
export { catalog, costOf, currentModels, type ModelInfo, modelInfo, type Price } from "./model/catalog.ts";
export { chooseModel, type ModelChoice, type ModelOverrides } from "./model/choice.ts";
export type { Answer, Block, FailureKind, Model, ModelEvent, ModelFailure, Usage } from "./model/model.ts";
export { type Line, type Script, scriptedModel } from "./model/scripted.ts";
export { type Ask, askNobody, type Badge, bubbleTo, type Question, type Reply } from "./permissions/ask.ts";
export { grantedBy } from "./permissions/from-settings.ts";
export {
  type Advice,
  type ChildPermissions,
  createPermissions,
  type Permissions,
  type PermissionsDeps,
} from "./permissions/permissions.ts";
export {
  createQuestions,
  type LateReply,
  oneAtATime,
  orphanedPermission,
  type Questions,
} from "./permissions/questions.ts";
export { type Project, type ProjectDeps, readProject } from "./project.ts";
export { type CompactionInput, type CompactionThreshold, compactionThreshold } from "./prompt/context.ts";
export { directive, forkPlaceholder, isFork } from "./prompt/fork.ts";
export { bytesOf, type CacheKey, type FrozenRequest, type Prefix, prefixHash } from "./prompt/frozen.ts";
export { type GateDeps, gated } from "./prompt/gate.ts";
export { instructionLimits, readInstructions } from "./prompt/instructions.ts";
export { type Memory, type MemoryScope, memorySection } from "./prompt/memory.ts";
export {
  type Environment,
  type PreloadedSkill,
  type SystemParts,
  subagentPrompt,
  systemPrompt,
  type TeamContext,
} from "./prompt/system.ts";
export {
  type Command,
  type CommandDraft,
  createQueue,
  type Mode,
  type Origin,
  type Priority,
  type Queue,
  textBlocks,
} from "./queue.ts";
export { openSession, type Session, type SessionDeps } from "./session.ts";
export {
  type LoadedSettings,
  loadSettings,
  type Origin as SettingsOrigin,
  type Settings,
  type SettingsProblem,
} from "./settings/load.ts";
export { readSettings, type SettingsPlaces, type SettingsText } from "./settings/source.ts";
export { openTrust, type Trust } from "./settings/trust.ts";
export { type LoadedSkills, loadSkills } from "./skills/load.ts";
export { type SlashCommand, slashCommand } from "./skills/slash.ts";
export type { Place } from "./team/membership.ts";
export type { AskUser, UserQuestion } from "./tools/ask-user-question.ts";
export { builtInTools, type ToolsDeps } from "./tools/index.ts";
export { createSeenFiles, type SeenFiles } from "./tools/seen-files.ts";
export { createShells, type Shells, type ShellsDeps } from "./tools/shells.ts";
export type { Skill } from "./tools/skill.ts";
export { typedTool } from "./tools/typed-tool.ts";
export type { Workspace, Workspaces } from "./workspace.ts";
