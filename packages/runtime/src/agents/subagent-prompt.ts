import type { Block } from "../model/model.ts";
import type { KnownAgent } from "../project/definitions.ts";
import type { Instruction } from "../prompt/instructions.ts";
import { type Environment, type PreloadedSkill, subagentPrompt } from "../prompt/system.ts";
import type { Skill } from "../skills/skill.ts";
import { readMemory } from "./memory-place.ts";
import { skillsToPreload } from "./preload.ts";

export interface SubagentPromptDeps {
  readonly agent: KnownAgent;
  readonly root: string;
  readonly project: string;
  readonly skills: readonly Skill[];
  readonly environment: Environment;
  /** The instructions of the project, for agents that get them. */
  readonly instructions: readonly Instruction[];
}

/**
 * The system prompt of a named agent: its definition, its memory, the skills it brings, where it
 * works.
 */
export async function systemOf({ environment, instructions, ...deps }: SubagentPromptDeps): Promise<readonly Block[]> {
  return subagentPrompt({ ...(await definedParts(deps)), instructions }, { role: "", environment });
}

/** Parts of a definition: its role, its memory and the skills it brings. */
export async function definedParts({
  agent,
  root,
  project,
  skills,
}: Omit<SubagentPromptDeps, "environment" | "instructions">) {
  const { skills: preloaded } = skillsToPreload(agent, skills);
  const texts = preloaded.map(
    async (skill): Promise<PreloadedSkill> => ({ name: skill.name, text: await skill.text() }),
  );
  return {
    role: agent.getSystemPrompt(),
    memory: readMemory({ agent, root, project }),
    skills: await Promise.all(texts),
  };
}
