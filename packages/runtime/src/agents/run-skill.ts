import type { Agent } from "../agent/agent.ts";
import type { Task } from "../agent/task.ts";
import type { ToolContext } from "../loop/tool.ts";
import { agentNamed } from "../project/definitions.ts";
import { forkedAgent, usualSkillAgent } from "../skills/forked-agent.ts";
import type { Skill } from "../skills/skill.ts";
import { deniedAgents } from "./listing.ts";
import { type Launched, launchAs } from "./start.ts";

/** The task of a forked skill, in the words of its caller. */
export const skillTask = ({ name }: Skill, prompt: string): Task => ({ description: `/${name}`, prompt });

/** Has an agent do a forked skill: the one the skill names, bounded by what the skill allows. */
export async function runSkill(skill: Skill, prompt: string, context: ToolContext<Agent>): Promise<Launched> {
  const { kind, permissions, session } = context.agent;
  const { agents, gates, revision } = session;
  const { name, agent: type = usualSkillAgent, background } = skill;
  if (kind === "fork" || context.isFork) return { refusal: "a fork does its task itself and starts no agents" };
  const agent = agentNamed(agents, type);
  if (!agent) return { refusal: `the skill ${name} needs an agent of the type ${type}, and there is none` };
  const denied = deniedAgents(agents, permissions.rules()).get(agent.agentType);
  if (denied !== undefined) return { refusal: denied };
  const isUsual = revision === "2026-11" && gates.isInteractive;
  const isBackground = !gates.isBackgroundDisabled && (gates.isAlwaysBackground || (background ?? isUsual));
  const forked = forkedAgent(agent, skill);
  const why = `the skill ${name} is done by an agent of its own`;
  const route = {
    kind: "agent",
    agent: forked,
    model: forked.model,
    effort: forked.effort,
    isBackground,
    why,
  } as const;
  return launchAs(route, skillTask(skill, prompt), context);
}
