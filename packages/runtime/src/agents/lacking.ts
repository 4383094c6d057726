import { type Agent, mainOf } from "../agent/agent.ts";
import { serverKey } from "../mcp/names.ts";
import { takenBy } from "./inherit.ts";

/**
 * Why an agent has no tool of this name although there is one, and what would give it one; or
 * undefined where nothing is called so.
 */
export function whyLacking(name: string, agent: Agent): string | undefined {
  const { kind, bounds, mcp, session } = agent;
  const [, server] = /^mcp__(.+?)__/.exec(name) ?? [];
  if (server !== undefined) {
    const found = mcp?.servers().find((one) => serverKey(one.name) === server);
    if (!found)
      return `no MCP server ${server} is configured: add it to mcpServers of the settings or of the definition`;
    if (found.state !== "connected")
      return `its MCP server ${found.name} is not connected (${found.problem ?? found.state}): check mcpServers`;
  }
  const main = mainOf(agent);
  if (!main.session.tools(main).some(({ definition }) => definition.name === name)) return undefined;
  const reasons = bounds.map((bound) => takenBy(bound, name, session.revision));
  const found = reasons.find((reason) => reason !== undefined);
  if (found !== undefined && kind === "fork") return `a fork has exactly the tools of its caller: ${found}`;
  if (reasons.at(-1) !== undefined) return reasons.at(-1);
  if (found !== undefined) return `an agent above it has none either: ${found}`;
  return name === "Agent"
    ? "agents may start no more agents below this one"
    : "it belongs to the main conversation alone";
}
