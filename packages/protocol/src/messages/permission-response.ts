import { z } from "zod";
import { PermissionUpdate } from "../permissions.ts";
import { defineMessage } from "./kind.ts";

const type = z.literal("permission_response");
const request_id = z.string().describe("The `request_id` of the request.");
const tool_use_id = z.string().optional().describe("The id of the tool call; from 2026-11 on.");
const approved_request = z
  .looseObject({
    tool_use_id: z.string().describe("The id of the tool call."),
    tool_name: z.string().describe("The tool."),
    input_digest: z
      .string()
      .describe("sha256 in hex of the tool's name, a NUL, and the input as JSON with the keys sorted at every depth."),
  })
  .optional()
  .describe("What was approved, so that the answer cannot be used for another call; from 2026-11 on.");
const updated_input = z.record(z.string(), z.unknown()).describe("The arguments to run with, as given or as edited.");
const permission_updates = z.array(PermissionUpdate).describe("Permission updates for later calls.");
const error = z.string().describe("Why it was denied.");
const outcome = "What to do: only in a success.";

const success = z.literal("success");
const failure = z.literal("error");
const proof = { tool_use_id, approved_request };
const mayGrant = z.looseObject({ updated_input, permission_updates: permission_updates.optional() }).describe(outcome);

const view = z.discriminatedUnion("subtype", [
  z.looseObject({ type, request_id, subtype: success, ...proof, response: mayGrant }),
  z.looseObject({ type, request_id, subtype: failure, ...proof, error: error.optional() }),
]);
/** Grants or refuses one use of a tool, as any reader takes it. */
export type ReadPermissionResponse = z.infer<typeof view>;

const granted = { type, request_id, subtype: success, ...proof, error: z.never().optional() };
const refused = z.looseObject({ type, request_id, subtype: failure, ...proof, error, response: z.never().optional() });
const grants = z.looseObject({ updated_input, permission_updates }).describe(outcome);
const answer202602 = z.discriminatedUnion("subtype", [z.looseObject({ ...granted, response: grants }), refused]);
const answer202611 = z.discriminatedUnion("subtype", [z.looseObject({ ...granted, response: mayGrant }), refused]);
export type PermissionResponse = z.infer<typeof answer202611>;

const meta = {
  title: "permission_response",
  description:
    "The lead's answer to a permission_request: `success` carries the input to run with, `error` the reason not to.",
};
const request_id_example = "perm-1770980462304-4uqstf5";
const response_example = { updated_input: { command: "mkdir -p /tmp/delegate-test" }, permission_updates: [] };
const tool = "toolu_01ABC";
const input_digest = "d60f5ec7ab38e5b41be6d48e1a30f2060f5c1fa7381d74378e12eb9a2e4f30af";
const approved_example = { tool_use_id: tool, tool_name: "Bash", input_digest };
const example = { type: "permission_response", request_id: request_id_example, subtype: "success" };

const keys = ["type", "request_id", "subtype", "response", "error"];

export const permissionResponse = defineMessage({
  type: "permission_response",
  view,
  published: {
    "2026-02": answer202602.meta({ ...meta, examples: [{ ...example, response: response_example }] }),
    "2026-11": answer202611.meta({
      ...meta,
      examples: [{ ...example, tool_use_id: tool, approved_request: approved_example, response: response_example }],
    }),
  },
  keys: {
    "2026-02": keys,
    "2026-11": ["type", "request_id", "subtype", "tool_use_id", "approved_request", "response", "error"],
  },
  idKey: "request_id",
  isAllOrNothing: true,
  hasColor: false,
  aliases: { requestId: "request_id" },
});
