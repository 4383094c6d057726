import type { PendingCall } from "../loop/tool.ts";

/** Fields of a call in the events about it. */
export const aboutCall = ({ id, tool, input }: PendingCall) => ({
  tool_name: tool.definition.name,
  tool_input: input,
  tool_use_id: id,
});
