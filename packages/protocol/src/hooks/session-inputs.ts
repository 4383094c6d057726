import { z } from "zod";
import { hookInput } from "./input-common.ts";

/** A user has written. */
export const UserPromptSubmitInput = hookInput(
  "UserPromptSubmit",
  "Fires when a user has submitted a prompt, before the model sees it.",
  { prompt: z.string().describe("What the user wrote.") },
  { prompt: "Review the parser" },
);

/** A session begins. */
export const SessionStartInput = hookInput(
  "SessionStart",
  "Fires when a session begins or is taken up again.",
  {
    source: z.string().describe("The reason: startup, resume, clear or compact."),
    model: z.string().optional().describe("The model of the session."),
  },
  { source: "startup", model: "claude-opus-5-5" },
);

/** A session ends. */
export const SessionEndInput = hookInput(
  "SessionEnd",
  "Fires when a session ends.",
  { reason: z.string().describe("The reason, such as `clear`, `logout` or `other`.") },
  { reason: "other" },
);

const trigger = z.string().describe("`manual` or `auto`.");

/** The conversation is about to be summarised. */
export const PreCompactInput = hookInput(
  "PreCompact",
  "Fires before a conversation is replaced by its summary; it can prevent it.",
  { trigger, custom_instructions: z.string().nullish().describe("What the user asked the summary to keep.") },
  { trigger: "auto", custom_instructions: "" },
);

/** The conversation was summarised. */
export const PostCompactInput = hookInput(
  "PostCompact",
  "Fires after a conversation was replaced by its summary.",
  { trigger, compact_summary: z.string().optional().describe("The summary.") },
  { trigger: "auto" },
);

/** The user is being notified. */
export const NotificationInput = hookInput(
  "Notification",
  "Fires when the user is told that something waits for them.",
  {
    message: z.string().describe("The text of the notification."),
    title: z.string().optional().describe("Its heading."),
    notification_type: z.string().optional().describe("Its kind, such as `permission_prompt` or `idle_prompt`."),
  },
  { message: "Permission is needed to use Bash", notification_type: "permission_prompt" },
);
