export {
  StopInput,
  SubagentStartInput,
  SubagentStopInput,
  TaskCompletedInput,
  TaskCreatedInput,
  TeammateIdleInput,
  WorktreeCreateInput,
  WorktreeRemoveInput,
} from "./agent-inputs.ts";
export {
  HookGroup,
  HookHandler,
  HooksConfig,
  type HookType,
  hookTimeouts,
  hookTypes,
  KnownHook,
  knownHook,
  stopToSubagentStop,
} from "./config.ts";
export { definitionHookEvents, hookEvents, matcherFields } from "./events.ts";
export { handlersFor } from "./handlers.ts";
export { HookInput, hookInputEvents, renderHookInput } from "./input.ts";
export { HookInputCommon } from "./input-common.ts";
export { compileMatcher, type Matcher, matches } from "./matcher.ts";
export {
  exitMeaning,
  HookOutput,
  HookPermissionAnswer,
  hookExitCodes,
  hookPermissionDecisions,
  PromptHookAnswer,
  promptWithInput,
  readHookOutput,
} from "./output.ts";
export { type ReadHooks, readHooks } from "./read-hooks.ts";
export {
  NotificationInput,
  PostCompactInput,
  PreCompactInput,
  SessionEndInput,
  SessionStartInput,
  UserPromptSubmitInput,
} from "./session-inputs.ts";
export { PermissionRequestInput, PostToolUseFailureInput, PostToolUseInput, PreToolUseInput } from "./tool-inputs.ts";
