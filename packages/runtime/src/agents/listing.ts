import { parseToolRule } from "@troupe/protocol";
import { serverPattern } from "../mcp/names.ts";
import { namesAgent, type RuleText } from "../permissions/rule.ts";
import type { KnownAgent } from "../project/definitions.ts";
import { definedServers } from "./servers.ts";

type AgentRule = Pick<RuleText, "behavior" | "text" | "source">;

/**
 * The types that `Agent(a, b)` or `Task(a)` rules deny, by name, each with what its caller is told.
 * None is replaced by another.
 */
export function deniedAgents(agents: readonly KnownAgent[], rules: readonly AgentRule[]): ReadonlyMap<string, string> {
  const denying = rules
    .filter(({ behavior }) => behavior === "deny")
    .map((rule) => ({ ...rule, names: namedBy(rule.text) }));
  const found = agents.flatMap(({ agentType }) => {
    const rule = denying.find(({ names }) => names(agentType));
    return rule ? [{ agentType, rule }] : [];
  });
  const denied = new Set(found.map(({ agentType }) => agentType));
  const rest = agents.flatMap(({ agentType }) => (denied.has(agentType) ? [] : agentType)).join(", ") || "none";
  return new Map(
    found.map(({ agentType, rule: { text, source } }) => [
      agentType,
      `the agent ${agentType} is denied by the rule ${text.trim()} (${source}), and no other agent replaces it; available: ${rest}`,
    ]),
  );
}

/**
 * The agents that can be asked for: not denied, and every server they require is configured, by the
 * settings or by themselves.
 */
export function offeredAgents(
  agents: readonly KnownAgent[],
  rules: readonly AgentRule[],
  mcpServers: readonly string[],
): readonly KnownAgent[] {
  const denied = deniedAgents(agents, rules);
  return agents.filter((agent) => {
    const names = [...mcpServers, ...definedServers(agent).flatMap(({ name }) => name ?? [])];
    const { requiredMcpServers: required = [] } = agent;
    return !denied.has(agent.agentType) && required.every((pattern) => names.some(serverPattern(pattern)));
  });
}

const listedCharacters = 1_000;

/** The list of agents for the model: the same for the same agents, in whatever order they come. */
export function agentListing(agents: readonly KnownAgent[]): string {
  const sorted = [...agents].sort((one, other) => (one.agentType < other.agentType ? -1 : 1));
  return sorted
    .map(({ agentType, whenToUse, ...rest }) => `- ${agentType}: ${oneLine(whenToUse)} (Tools: ${toolWords(rest)})`)
    .join("\n");
}

function toolWords({ tools, disallowedTools = [] }: Pick<KnownAgent, "tools" | "disallowedTools">): string {
  const allowed = tools === undefined || tools.includes("*") ? "all" : tools.join(", ") || "none";
  return oneLine(disallowedTools.length === 0 ? allowed : `${allowed} but ${disallowedTools.join(", ")}`);
}

/** A line break in a description would begin an entry that is no agent's. */
function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= listedCharacters ? line : `${line.slice(0, listedCharacters).toWellFormed()}…`;
}

/**
 * Which types a rule names. One that cannot be read names them all if it begins like one: who wrote
 * it wanted less and not more.
 */
function namedBy(text: string): (type: string) => boolean {
  const { rule } = parseToolRule(text.trim());
  if (!rule) return () => /^\s*(Agent|Task)\b/.test(text);
  if (rule.kind === "every") return () => true;
  if (rule.kind !== "tool" || rule.name !== "Agent") return () => false;
  return (type) => namesAgent(rule, type);
}
