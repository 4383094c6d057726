import { z } from "zod";
import { PermissionUpdate } from "../permissions.ts";
import { defineMessage } from "./kind.ts";

/** Asks the lead whether a tool may be used. */
export const PermissionRequest = z
  .looseObject({
    type: z.literal("permission_request"),
    request_id: z
      .string()
      .describe("`perm-<ms>-<7 characters>`; the answer repeats it. Snake case, unlike shutdown and plan."),
    agent_id: z.string().describe("The bare name of the member that asks, without `@team`."),
    tool_name: z.string().describe("The tool the member wants to call."),
    tool_use_id: z.string().describe("The id of the tool call."),
    description: z.string().describe("What the call does, in words."),
    input: z.record(z.string(), z.unknown()).describe("All arguments of the call."),
    permission_suggestions: z
      .array(PermissionUpdate)
      .describe("Permission updates that would make this question unnecessary next time."),
  })
  .meta({
    title: "permission_request",
    description: "Sent to the lead when a member needs permission for a tool call; the member waits.",
    examples: [
      {
        type: "permission_request",
        request_id: "perm-1770980462304-4uqstf5",
        agent_id: "delegate-agent",
        tool_name: "Bash",
        tool_use_id: "toolu_01ABC",
        description: "Create a directory outside the project",
        input: { command: "mkdir -p /tmp/delegate-test" },
        permission_suggestions: [{ type: "addDirectories", directories: ["/tmp"], destination: "session" }],
      },
    ],
  });
export type PermissionRequest = z.infer<typeof PermissionRequest>;

const view = PermissionRequest.partial({
  agent_id: true,
  tool_use_id: true,
  description: true,
  permission_suggestions: true,
});
/** The form that readers accept. */
export type ReadPermissionRequest = z.infer<typeof view>;

const keys = [
  "type",
  "request_id",
  "agent_id",
  "tool_name",
  "tool_use_id",
  "description",
  "input",
  "permission_suggestions",
];

export const permissionRequest = defineMessage({
  type: "permission_request",
  view,
  published: { "2026-02": PermissionRequest, "2026-11": PermissionRequest },
  keys: { "2026-02": keys, "2026-11": keys },
  idKey: "request_id",
  isAllOrNothing: false,
  hasColor: true,
  aliases: { requestId: "request_id" },
});
