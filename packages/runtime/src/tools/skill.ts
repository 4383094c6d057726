import { z } from "zod";
import { bounded, failed, said } from "../loop/outcome.ts";
import type { Tool, ToolContext, ToolOutcome } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";
import { fillIn } from "../skills/fill-in.ts";
import type { Skill } from "../skills/skill.ts";

export interface SkillDeps<Agent> {
  readonly skills: readonly Skill[];
  /**
   * Has an agent of its own do a forked skill; without it, its text is given like that of any
   * other.
   */
  readonly runForked?: (skill: Skill, prompt: string, context: ToolContext<Agent>) => Promise<ToolOutcome>;
}

const Input = z.object({
  skill: z.string().min(1).describe("The name of the skill."),
  args: z.string().optional().describe("The arguments of the skill."),
});

const listCharacters = 10_000;
const descriptionCharacters = 1_000;

/** Brings the text of a skill into the conversation, or what an agent reports that was given it. */
export const skillTool = <Agent>({ skills, runForked }: SkillDeps<Agent>): Tool<Agent> => {
  const offered = skills
    .filter(({ isForModel = true }) => isForModel)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const names = bounded(offered.map(({ name }) => name).join(", ") || "none", "there are more", listCharacters);
  const runsAgents = runForked !== undefined && offered.some(({ isForked }) => isForked);
  return typedTool({
    name: "Skill",
    description: `Loads the instructions of a skill; follow them. Available skills:\n${listOf(offered)}`,
    input: Input,
    isRead: !runsAgents,
    // Calls of its agents are judged one by one.
    isReadOnly: true,
    isConcurrent: true,
    run: async ({ skill, args }, context) => {
      const asked = skill.replace(/^\//, "");
      const found = skills.find(({ name }) => name === asked);
      if (!found) return failed(`There is no skill ${skill}. Available: ${names}.`);
      if (found.isForModel === false)
        return failed(`Only the user can call the skill ${asked}; if you need it, ask the user to type /${asked}.`);
      const text = fillIn(await found.text(), args);
      return found.isForked && runForked ? runForked(found, text, context) : said(text);
    },
  });
};

/** Every name, as far as that can be; what room they leave is shared among the descriptions. */
function listOf(skills: readonly Skill[]): string {
  const names = skills.reduce((sum, { name }) => sum + name.length + 5, 0);
  const share = Math.floor((listCharacters - names) / Math.max(1, skills.length));
  const lines = (limit: number) =>
    skills.map(({ name, description }) => `- ${name}: ${cut(description.replace(/\s+/g, " ").trim(), limit)}`);
  const whole = lines(descriptionCharacters).join("\n");
  const list = whole.length <= listCharacters ? whole : lines(Math.max(0, share)).join("\n");
  return bounded(list || "none", "skills that are not listed work too", listCharacters);
}

const cut = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, Math.max(0, limit - 1)).toWellFormed()}${limit > 0 ? "…" : ""}`;
