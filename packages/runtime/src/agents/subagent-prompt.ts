import { join } from "node:path";
import { agentMemory } from "@troupe/protocol";
import { readGiven } from "../given-file.ts";
import type { Block } from "../model/model.ts";
import type { KnownAgent } from "../project/definitions.ts";
import type { Instruction } from "../prompt/instructions.ts";
import type { Memory } from "../prompt/memory.ts";
import { type Environment, type PreloadedSkill, subagentPrompt } from "../prompt/system.ts";
import type { Skill } from "../skills/skill.ts";
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
    memory: memoryOf(agent, root, project),
    skills: await Promise.all(texts),
  };
}

/** Far more than is shown of it. */
const maxMemoryBytes = 1024 * 1024;

function memoryOf({ agentType, memory: scope }: KnownAgent, root: string, project: string): readonly Memory[] {
  if (scope === undefined) return [];
  // A plugin's agents carry its name in front of theirs, which is no part of a path everywhere.
  const path = join(agentMemory(scope, agentType.replaceAll(":", "-"), root, project), "MEMORY.md");
  const given = readGiven(path, maxMemoryBytes);
  if ("bytes" in given) return [{ scope, path, text: Buffer.from(given.bytes).toString() }];
  return [{ scope, path, text: "", ...(!given.isAbsent && { fault: given.fault }) }];
}
