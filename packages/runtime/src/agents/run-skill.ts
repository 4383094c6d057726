import type { ToolContext } from "../loop/tool.ts";
import { forkedAgent, usualSkillAgent } from "../skills/forked-agent.ts";
import type { Skill } from "../tools/skill.ts";
import { agentNamed } from "./definitions.ts";
import { type LaunchDeps, type Launched, launchAs, type Task } from "./launch.ts";
import type { Parent } from "./parent.ts";

/** The task of a forked skill, in the words of its caller. */
export const skillTask = ({ name }: Skill, prompt: string): Task => ({ description: `/${name}`, prompt });

/** Has an agent do a forked skill: the one the skill names, bounded by what the skill allows. */
export async function runSkill(
  skill: Skill,
  prompt: string,
  context: ToolContext,
  parent: Parent,
  deps: LaunchDeps,
): Promise<Launched> {
  const { name, agent: type = usualSkillAgent, background } = skill;
  if (parent.caller.kind === "fork") return { refusal: "a fork does its task itself and starts no agents" };
  const agent = agentNamed(deps.agents, type);
  if (!agent) return { refusal: `the skill ${name} names the agent ${type}, and there is none of this type` };
  const denied = deps.denied.get(agent.agentType);
  if (denied !== undefined) return { refusal: denied };
  const { gates, household } = deps;
  const isUsual = household.revision === "2026-11" && gates.isInteractive;
  const isBackground = !gates.isBackgroundDisabled && (gates.isAlwaysBackground || (background ?? isUsual));
  const forked = forkedAgent(agent, skill);
  const route = { kind: "agent", agent: forked, model: forked.model, effort: forked.effort, isBackground } as const;
  return launchAs(route, skillTask(skill, prompt), context, parent, deps);
}
