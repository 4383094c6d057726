import { z } from "zod";
import type { Tool } from "../loop/tool.ts";
import { bounded, failed, said } from "./outcome.ts";
import { typedTool } from "./typed-tool.ts";

/** Instructions for one sort of work, which the model asks for when it needs them. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  text(): Promise<string>;
}

export interface SkillDeps {
  readonly skills: readonly Skill[];
}

const Input = z.object({
  skill: z.string().min(1).describe("The name of the skill."),
  args: z.string().optional().describe("What the skill is to be used on."),
});

const listCharacters = 10_000;
const skillCharacters = 100_000;

/** Brings the text of a skill into the conversation. */
export const skillTool = ({ skills }: SkillDeps): Tool => {
  const list = skills.map(({ name, description }) => `- ${name}: ${description.replace(/\s+/g, " ")}`).join("\n");
  return typedTool({
    name: "Skill",
    description: `Gives the instructions of a skill; follow them then. These skills are there:\n${bounded(list || "none", "the names work all the same", listCharacters)}`,
    input: Input,
    isRead: true,
    run: async ({ skill, args }) => {
      const found = skills.find(({ name }) => name === skill.replace(/^\//, ""));
      if (!found)
        return failed(`There is no skill ${skill}; there are ${skills.map(({ name }) => name).join(", ") || "none"}.`);
      const text = await found.text();
      const isPlaced = text.includes("$ARGUMENTS");
      const whole = isPlaced ? text.replaceAll("$ARGUMENTS", () => args ?? "") : text;
      const rest = !isPlaced && args ? `\n\nARGUMENTS: ${args}` : "";
      return said(bounded(whole, "the skill is too long", skillCharacters) + rest);
    },
  });
};
