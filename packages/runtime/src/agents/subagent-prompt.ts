import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agentMemory } from "@troupe/protocol";
import type { Block } from "../model/model.ts";
import type { Instruction } from "../prompt/instructions.ts";
import type { Memory } from "../prompt/memory.ts";
import { type Environment, type PreloadedSkill, subagentPrompt } from "../prompt/system.ts";
import type { Skill } from "../tools/skill.ts";
import type { KnownAgent } from "./definitions.ts";
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

/** What a named agent is told from the start: its definition, its memory, the skills it brings, where it works. */
export async function systemOf({
  agent,
  root,
  project,
  skills,
  environment,
  instructions,
}: SubagentPromptDeps): Promise<readonly Block[]> {
  const { skills: preloaded } = skillsToPreload(agent, skills);
  return subagentPrompt(
    {
      role: agent.getSystemPrompt(),
      instructions,
      memory: memoryOf(agent, root, project),
      skills: await Promise.all(
        preloaded.map(async (skill): Promise<PreloadedSkill> => ({ name: skill.name, text: await skill.text() })),
      ),
    },
    { role: "", environment },
  );
}

function memoryOf({ agentType, memory: scope }: KnownAgent, root: string, project: string): readonly Memory[] {
  if (scope === undefined) return [];
  // A plugin's agents carry its name in front of theirs, which is no part of a path everywhere.
  const path = join(agentMemory(scope, agentType.replaceAll(":", "-"), root, project), "MEMORY.md");
  return [{ scope, path, text: existsSync(path) ? readFileSync(path, "utf8") : "" }];
}
