import type { PendingCall } from "../loop/tool.ts";

/** What events about a call tell of it. */
export const aboutCall = ({ id, tool, input }: PendingCall) => ({
  tool_name: tool.definition.name,
  tool_input: input,
  tool_use_id: id,
});
