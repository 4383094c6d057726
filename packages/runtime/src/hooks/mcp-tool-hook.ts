import type { HookInputCommon, KnownHook } from "@troupe/protocol/hooks";
import { timeLimit } from "@troupe/store";
import { faultOf } from "../loop/segments.ts";
import type { Tool, ToolOutcome } from "../loop/tool.ts";
import { toolNames } from "../mcp/names.ts";
import type { HookReply } from "./outcome.ts";
import { readReply } from "./reply.ts";

export type McpToolHook = Extract<KnownHook, { type: "mcp_tool" }>;

/**
 * Calls a tool of an MCP server by the names of its config and its own; it ends soon after the
 * signal does, and what is not there is an error.
 */
export type CallTool = (
  server: string,
  tool: string,
  input: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<ToolOutcome>;

/**
 * Calls a tool for a hook: what it says is read like the output of a command, and a call that fails
 * keeps no event from passing.
 */
export async function runMcpToolHook(
  { server, tool, input: template = {} }: McpToolHook,
  input: HookInputCommon,
  callTool: CallTool | undefined,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<HookReply> {
  const error = (reason: string): HookReply => ({ meaning: "error", reason });
  if (!callTool) return error("needs MCP servers, and there are none here");
  const deadline = timeLimit(timeoutMs);
  const filled = filledWith(input, template) as Readonly<Record<string, unknown>>;
  const { content, isError } = await callTool(server, tool, filled, AbortSignal.any([signal, deadline]));
  if (signal.aborted) return error("was cancelled");
  if (deadline.aborted) return error(`took longer than ${timeoutMs / 1_000} s`);
  const said = content.flatMap(({ type, text }) => (type === "text" ? [String(text)] : [])).join("\n");
  return isError ? error(said || "failed without a message") : readReply(said);
}

/** The tools that the model has, as hooks call them. */
export const callAmong =
  (tools: () => readonly Tool[]): CallTool =>
  async (server, tool, input, signal) => {
    const name = toolNames(server, [tool]).get(tool);
    const found = tools().find(({ definition }) => definition.name === name);
    const refused = (text: string) => ({ content: [{ type: "text", text }], isError: true });
    const missing = `the MCP server ${JSON.stringify(server)} has no tool ${JSON.stringify(tool)}, or is not connected`;
    if (!found) return refused(missing);
    const fault = faultOf(found, input);
    if (fault !== undefined) return refused(fault);
    return found.run(input, { call: `hook:${server}:${tool}`, signal, agent: undefined });
  };

/**
 * Puts the event into every text of a value: `${tool_input.file_path}` is that field, and nothing
 * where there is none.
 */
function filledWith(event: HookInputCommon, value: unknown): unknown {
  if (typeof value === "string") return value.replace(/\$\{([^{}]+)\}/g, (_, path: string) => textAt(event, path));
  if (Array.isArray(value)) return value.map((one) => filledWith(event, one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filledWith(event, one)]));
}

function textAt(event: HookInputCommon, path: string): string {
  let value: unknown = event;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return "";
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
