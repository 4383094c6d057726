import type { Revision } from "../revisions/revision.ts";

/** The events a revision knows. A configuration may name others: they are kept and never fire. */
export const hookEvents: Readonly<Record<Revision, readonly string[]>> = {
  "2026-02": ["PreToolUse", "PostToolUse", "Stop", "SubagentStart", "SubagentStop", "TeammateIdle", "TaskCompleted"],
  "2026-11": [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "PermissionRequest",
    "PermissionDenied",
    "Setup",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "WorktreeCreate",
    "WorktreeRemove",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "MessageDisplay",
  ],
};

/** The events that run from an agent definition; 2026-02 warns about others and ignores them. */
export const definitionHookEvents: Readonly<Record<Revision, readonly string[]>> = {
  "2026-02": ["PreToolUse", "PostToolUse", "Stop"],
  "2026-11": hookEvents["2026-11"],
};

/**
 * The input field that an event's matcher is compared with. For other events the matcher is
 * ignored.
 */
export const matcherFields: ReadonlyMap<string, string> = new Map([
  ["PreToolUse", "tool_name"],
  ["PostToolUse", "tool_name"],
  ["PostToolUseFailure", "tool_name"],
  ["PermissionRequest", "tool_name"],
  ["PermissionDenied", "tool_name"],
  ["SubagentStart", "agent_type"],
  ["SubagentStop", "agent_type"],
  ["Notification", "notification_type"],
  ["SessionStart", "source"],
  ["SessionEnd", "reason"],
  ["PreCompact", "trigger"],
  ["PostCompact", "trigger"],
]);
