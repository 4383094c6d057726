import type { HooksConfig } from "@troupe/protocol/hooks";
import { z } from "zod";
import type { Tool, ToolContext, ToolOutcome } from "../loop/tool.ts";
import { fillIn } from "../skills/fill-in.ts";
import { bounded, failed, said } from "./outcome.ts";
import { typedTool } from "./typed-tool.ts";

/** Instructions for one sort of work, which the model asks for when it needs them, and a person calls by name. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** What a person is shown of the arguments it takes. */
  readonly argumentHint?: string;
  /** False: only a person may call it. */
  readonly isForModel?: boolean;
  /** False: only the model may call it. */
  readonly isForUser?: boolean;
  /** An agent of its own does it, and whoever calls it gets the report. */
  readonly isForked?: boolean;
  /** The type of that agent. */
  readonly agent?: string;
  /** The model of that agent. */
  readonly model?: string;
  /** All that agent may use. It bounds and grants nothing: what is in it is judged as ever. */
  readonly allowedTools?: readonly string[];
  /** Whether that agent's caller goes on meanwhile; absent, the revision says. */
  readonly background?: boolean;
  /** For as long as that agent lives. */
  readonly hooks?: HooksConfig;
  text(): Promise<string>;
}

export interface SkillDeps {
  readonly skills: readonly Skill[];
  /** Has an agent of its own do a forked skill; without it, its text is given like that of any other. */
  readonly runForked?: (skill: Skill, prompt: string, context: ToolContext) => Promise<ToolOutcome>;
}

const Input = z.object({
  skill: z.string().min(1).describe("The name of the skill."),
  args: z.string().optional().describe("What the skill is to be used on."),
});

const listCharacters = 10_000;
const descriptionCharacters = 1_000;

/** Brings the text of a skill into the conversation, or what an agent reports that was given it. */
export const skillTool = ({ skills, runForked }: SkillDeps): Tool => {
  const offered = skills
    .filter(({ isForModel = true }) => isForModel)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const names = bounded(offered.map(({ name }) => name).join(", ") || "none", "there are more", listCharacters);
  const runsAgents = runForked !== undefined && offered.some(({ isForked }) => isForked);
  return typedTool({
    name: "Skill",
    description: `Gives the instructions of a skill; follow them then. These skills are there:\n${listOf(offered)}`,
    input: Input,
    isRead: !runsAgents,
    isConcurrent: true,
    run: async ({ skill, args }, context) => {
      const asked = skill.replace(/^\//, "");
      const found = skills.find(({ name }) => name === asked);
      if (!found) return failed(`There is no skill ${skill}; there are ${names}.`);
      if (found.isForModel === false)
        return failed(`Only a person may call the skill ${asked}; if it is needed, ask for /${asked} to be typed.`);
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
  return bounded(list || "none", "the names work all the same", listCharacters);
}

const cut = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, Math.max(0, limit - 1)).toWellFormed()}${limit > 0 ? "…" : ""}`;
