import { z } from "zod";
import {
  StopInput,
  SubagentStartInput,
  SubagentStopInput,
  TaskCompletedInput,
  TaskCreatedInput,
  TeammateIdleInput,
  WorktreeCreateInput,
  WorktreeRemoveInput,
} from "./agent-inputs.ts";
import type { HookInputCommon } from "./input-common.ts";
import {
  NotificationInput,
  PostCompactInput,
  PreCompactInput,
  SessionEndInput,
  SessionStartInput,
  UserPromptSubmitInput,
} from "./session-inputs.ts";
import { PermissionRequestInput, PostToolUseFailureInput, PostToolUseInput, PreToolUseInput } from "./tool-inputs.ts";

/** The input of a hook for an event whose fields are known. */
export const HookInput = z
  .discriminatedUnion("hook_event_name", [
    PreToolUseInput,
    PermissionRequestInput,
    PostToolUseInput,
    PostToolUseFailureInput,
    SubagentStartInput,
    SubagentStopInput,
    StopInput,
    TeammateIdleInput,
    TaskCreatedInput,
    TaskCompletedInput,
    WorktreeCreateInput,
    WorktreeRemoveInput,
    UserPromptSubmitInput,
    SessionStartInput,
    SessionEndInput,
    PreCompactInput,
    PostCompactInput,
    NotificationInput,
  ])
  .meta({
    title: "Hook input",
    description: "The event, as a command hook reads it from its standard input.",
    examples: [
      {
        session_id: "5833f1a8-70fb-4e32-95d9-283e44b3d214",
        transcript_path: "/home/dev/.claude/projects/-home-dev-project/5833f1a8-70fb-4e32-95d9-283e44b3d214.jsonl",
        cwd: "/home/dev/project",
        hook_event_name: "TeammateIdle",
        teammate_name: "alice",
        team_name: "analysis-team",
      },
    ],
  });
export type HookInput = z.infer<typeof HookInput>;

/** The events whose fields are known. */
export const hookInputEvents = HookInput.options.map(({ shape }) => shape.hook_event_name.value);

/** The JSON document that a command hook gets on standard input and an http hook in the body. */
export const renderHookInput = (input: HookInputCommon): string => `${JSON.stringify(input)}\n`;
