export { inputDigest, planDigest } from "./digests.ts";
export { insideTags } from "./envelope.ts";
export { type ErrorCode, isTroupeError, messageOf, TroupeError } from "./errors.ts";
export {
  AgentId,
  makeAgentId,
  makePermissionId,
  makePlanApprovalId,
  makeRunId,
  makeShutdownId,
  parseAgentId,
  parsePermissionId,
  parsePlanApprovalId,
  parseRunId,
  parseShutdownId,
} from "./ids.ts";
export { entryKeys, InboxEntry, isUnread } from "./inbox.ts";
export { isObject } from "./json/is-object.ts";
export { type JsonInput, type ReadJson, readJson } from "./json/read-json.ts";
export { type Patch, writeJson } from "./json/write-json.ts";
export {
  agentMemory,
  agentOutput,
  inboxOwnerOf,
  type Layout,
  layoutOf,
  lockOf,
  type TeamLayout,
  taskIdOf,
  worktree,
} from "./layout.ts";
export {
  hasColor,
  type MessageBody,
  type MessageDraft,
  messageKinds,
  type ReadBody,
  readBody,
  renderBody,
  requestIdOf,
} from "./messages/body.ts";
export { IdleNotification, peerSummary } from "./messages/idle-notification.ts";
export type { MessageKind } from "./messages/kind.ts";
export { PermissionRequest } from "./messages/permission-request.ts";
export type { PermissionResponse } from "./messages/permission-response.ts";
export { PlanApprovalRequest } from "./messages/plan-approval-request.ts";
export type { PlanApprovalResponse } from "./messages/plan-approval-response.ts";
export { ShutdownApproved } from "./messages/shutdown-approved.ts";
export { ShutdownRejected } from "./messages/shutdown-rejected.ts";
export { ShutdownRequest } from "./messages/shutdown-request.ts";
export { TaskAssignment } from "./messages/task-assignment.ts";
export { type Termination, teammateTerminated } from "./messages/teammate-terminated.ts";
export {
  AgentName,
  agentName,
  deletedTeamName,
  isAgentName,
  isReservedName,
  isTaskId,
  isTeamName,
  leadName,
  memberName,
  nameKey,
  sessionTeamName,
  TaskId,
  TeamName,
  taskId,
  teamName,
  worktreeSlug,
} from "./names.ts";
export {
  NotificationStatus,
  NotificationUsage,
  notificationProblems,
  notificationSummary,
  sdkStatusOf,
  TaskNotification,
} from "./notification.ts";
export { parseTaskNotification, type ReadTaskNotification, renderTaskNotification } from "./notification-text.ts";
export {
  directoryRule,
  internalPermissionModes,
  KnownPermissionUpdate,
  knownPermissionUpdate,
  PermissionMode,
  PermissionMode202602,
  PermissionMode202611,
  PermissionRule,
  PermissionUpdate,
  permissionDestinations,
  permissionModes,
  permissionUpdateKinds,
  ruleDirectory,
} from "./permissions.ts";
export { expandHome, isPlanFileName, PlanDocument, planFileName } from "./plan.ts";
export { type Problem, type ProblemCode, pointer } from "./problems.ts";
export { assertWritable } from "./revisions/between.ts";
export type { Codec, EntryDraft, TaskDraft, TeamDraft, TeammateDraft, TextDraft } from "./revisions/codec.ts";
export { codecFor, detectForm } from "./revisions/detect.ts";
export { type DocumentSchemas, documentSchemas } from "./revisions/published.ts";
export type { InboxRead, Read } from "./revisions/read.ts";
export { type Form, isRevision, type Revision, revisions } from "./revisions/revision.ts";
export { SubagentMeta } from "./subagent-meta.ts";
export {
  byId,
  isClaimable,
  isInternal,
  isTransition,
  nextId,
  openBlockersOf,
  Task,
  TaskStatus,
  transitions,
} from "./task.ts";
export {
  backendOf,
  type Color,
  colorOf,
  colors,
  inspectTeam,
  LeadProcess,
  leadOf,
  Member,
  TeamConfig,
} from "./team.ts";
export {
  buildTeammateArgs,
  parseTeammateArgs,
  type SpawnFlags,
  spawnFlags,
  type TeammateArgs,
  type TeammateFlag,
  teammateFlags,
} from "./teammate-args.ts";
export { Milliseconds, Timestamp } from "./timestamp.ts";
export {
  agentTypes,
  allowsTool,
  coversTool,
  formerToolNames,
  isKnownTool,
  knownTools,
  namesAgentType,
  type ParsedToolRule,
  parseToolRule,
  parseToolRules,
  renderToolRule,
  similarTool,
  splitToolList,
  type ToolRule,
} from "./tool-rules.ts";
export {
  AssistantLine,
  escapeProjectPath,
  isLine,
  parseTranscript,
  type ReadTranscript,
  readTranscript,
  SummaryLine,
  SystemLine,
  type TranscriptLine,
  UserLine,
} from "./transcript.ts";
