import { z } from "zod";
import { PermissionUpdate } from "../permissions.ts";
import { hookInput } from "./input-common.ts";

const call = {
  tool_name: z.string().describe("The tool."),
  tool_input: z.record(z.string(), z.unknown()).describe("The arguments of the call."),
};
const tool_use_id = z.string().describe("The id of the call.");
const callExample = { tool_name: "Bash", tool_input: { command: "pnpm test" } };

/** A tool is about to be used. */
export const PreToolUseInput = hookInput(
  "PreToolUse",
  "Fires before a tool is used, and before permission is asked; it can allow, deny or change the call.",
  { ...call, tool_use_id },
  { ...callExample, tool_use_id: "toolu_01ABC" },
);

/** Somebody is about to be asked. */
export const PermissionRequestInput = hookInput(
  "PermissionRequest",
  "Fires before the user is asked for permission to use a tool; it can answer instead.",
  {
    ...call,
    permission_suggestions: z
      .array(PermissionUpdate)
      .optional()
      .describe("Permission updates that the user could choose."),
  },
  {
    ...callExample,
    permission_suggestions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
  },
);

/** A tool was used. */
export const PostToolUseInput = hookInput(
  "PostToolUse",
  "Fires after a tool was used.",
  { ...call, tool_response: z.unknown().optional().describe("What the tool returned."), tool_use_id },
  { ...callExample, tool_response: { stdout: "ok", stderr: "" }, tool_use_id: "toolu_01ABC" },
);

/** A tool failed. */
export const PostToolUseFailureInput = hookInput(
  "PostToolUseFailure",
  "Fires after a call of a tool failed.",
  {
    ...call,
    tool_use_id,
    error: z.string().describe("What went wrong."),
    is_interrupt: z.boolean().optional().describe("True if the call was interrupted."),
  },
  { ...callExample, tool_use_id: "toolu_01ABC", error: "exit code 1" },
);
