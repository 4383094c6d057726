import { agentMcpServer } from "@troupe/protocol/agent";
import type { Agent } from "../agent/agent.ts";
import type { Mcp } from "../mcp/mcp.ts";
import { serverProblems } from "../mcp/problems.ts";
import type { KnownAgent } from "../project/definitions.ts";

/** The servers that a definition defines, and those that it names. */
export const definedServers = ({ mcpServers = [] }: Pick<KnownAgent, "mcpServers">) =>
  mcpServers.flatMap((entry) => agentMcpServer(entry) ?? []);

/**
 * Waits for the servers that a definition requires, as long as they may take to connect; says which
 * are not there with tools then.
 */
export async function unmetServers(
  { agentType, requiredMcpServers: required = [] }: KnownAgent,
  mcp: Mcp | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const missing = required.length > 0 ? ((await mcp?.missing(required, signal)) ?? required) : [];
  if (missing.length === 0) return undefined;
  return `${agentType} needs the MCP servers ${missing.join(", ")}, which offer no tools here; check mcpServers in the settings`;
}

/**
 * The servers of a named agent: its parent's and those of its definition; or why it cannot do
 * without one.
 */
export async function serversOf(
  agent: KnownAgent,
  { mcp: above, session }: Agent,
  signal: AbortSignal,
): Promise<Mcp | { readonly refusal: string } | undefined> {
  const specs = definedServers(agent);
  const mcp = above?.child(specs);
  const refusal = await unmetServers(agent, mcp, signal);
  if (refusal !== undefined) {
    await mcp?.close();
    return { refusal };
  }
  if (!mcp || specs.length === 0) return mcp;
  const before = new Set(above?.servers().map(({ name }) => name));
  await mcp.missing(
    mcp.servers().map(({ name }) => name),
    signal,
  );
  const own = mcp.servers().filter(({ name }) => !before.has(name));
  for (const problem of serverProblems({ servers: () => own })) session.show(`${agent.agentType}: ${problem}`);
  return mcp;
}
