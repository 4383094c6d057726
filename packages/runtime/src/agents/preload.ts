import type { KnownAgent } from "../project/definitions.ts";
import type { Skill } from "../skills/skill.ts";

/**
 * The skills that a definition brings with it, in its order, and those it names in vain. What only
 * a person may call is not brought. A name without a plugin's in front is that of a skill, else of
 * one of the agent's own plugin, else of the first plugin that has one so called.
 */
export function skillsToPreload(
  { agentType, skills: wanted = [], source }: KnownAgent,
  skills: readonly Skill[],
): { readonly skills: readonly Skill[]; readonly missing: readonly string[] } {
  const plugin = source === "plugin" ? agentType.split(":")[0] : undefined;
  const meant = (name: string) =>
    skills.find((skill) => skill.name === name) ??
    skills.find((skill) => plugin !== undefined && skill.name === `${plugin}:${name}`) ??
    [...skills].sort((one, other) => (one.name < other.name ? -1 : 1)).find((skill) => skill.name.endsWith(`:${name}`));
  const found = [...new Set(wanted)].map((name) => ({ name, skill: meant(name) }));
  return {
    skills: [...new Set(found.flatMap(({ skill }) => (skill && skill.isForModel !== false ? skill : [])))],
    missing: found.flatMap(({ name, skill }) => (skill ? [] : name)),
  };
}
