export { type Agent, type AgentDeps, openAgent } from "./agent.ts";
export { type Attendance, attendHeadless, attendInteractive, type Headless, type Interactive } from "./attend.ts";
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
