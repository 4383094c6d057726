import { coversTool, parseToolRules, renderToolRule, type ToolRule } from "@troupe/protocol";
import type { AgentType } from "@troupe/protocol/agent";
import type { HooksConfig } from "@troupe/protocol/hooks";
import type { Skill } from "./skill.ts";

/** The type of agent that does a forked skill which names none. */
export const usualSkillAgent = "general-purpose";

/**
 * An agent's definition as it does a forked skill: the skill's `allowed-tools` bound it, and give
 * it no tool that it does not have.
 */
export function forkedAgent<Agent extends AgentType>(
  agent: Agent,
  { allowedTools, model, background, hooks }: Skill,
): Agent {
  return {
    ...agent,
    ...(allowedTools && { tools: bothAllow(agent.tools, allowedTools) }),
    ...(model !== undefined && { model }),
    ...(background !== undefined && { background }),
    ...(hooks && { hooks: bothHooks(agent.hooks, hooks) }),
  };
}

/** Tools that both lists allow: of two entries of which one holds the other, the narrower. */
function bothAllow(tools: readonly string[] | undefined, allowedTools: readonly string[]): string[] {
  if (tools === undefined) return [...allowedTools];
  const { rules } = parseToolRules(tools);
  const narrower = parseToolRules(allowedTools).rules.flatMap((allowed) =>
    rules.flatMap((rule) => (holds(rule, allowed) ? allowed : holds(allowed, rule) ? rule : [])),
  );
  return [...new Set(narrower.map(renderToolRule))];
}

function holds(outer: ToolRule, inner: ToolRule): boolean {
  if (inner.kind === "every") return outer.kind === "every";
  if (!coversTool(outer, inner.kind === "tool" ? inner.name : inner.spelling)) return false;
  if (outer.kind !== "tool" || outer.argument === undefined) return true;
  return inner.kind === "tool" && inner.argument === outer.argument;
}

/** Hooks of one event run side by side. */
function bothHooks(agents: HooksConfig = {}, skills: HooksConfig = {}): HooksConfig {
  const events = [...new Set([...Object.keys(agents), ...Object.keys(skills)])];
  return Object.fromEntries(events.map((event) => [event, [...(agents[event] ?? []), ...(skills[event] ?? [])]]));
}
