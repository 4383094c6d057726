import { z } from "zod";
import { HooksConfig } from "../hooks/config.ts";
import { definitionHookEvents } from "../hooks/events.ts";
import { PermissionMode, PermissionMode202602, PermissionMode202611 } from "../permissions.ts";
import type { Revision } from "../revisions/revision.ts";
import { agentColors, effortLevels, isolations, memoryScopes, modelAliases } from "./legal-values.ts";

const strings = z.array(z.string());

/** What the front matter may hold. Loose: a field it does not know is kept and has no effect. */
export const AgentDefinitionFrontMatter = z
  .looseObject({
    name: z
      .string()
      .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      .describe("The type by which the agent is asked for, in kebab-case; the file may be called otherwise."),
    description: z.string().regex(/\S/).describe("When to use the agent: what the caller's model decides by."),
    tools: z
      .union([z.string(), strings])
      .optional()
      .describe(
        'What the agent may use, as a list or a comma-separated string; absent: what its caller has; "*": all.',
      ),
    disallowedTools: z.union([z.string(), strings]).optional().describe("What is taken away from the tools allowed."),
    model: z
      .string()
      .optional()
      .describe(`${modelAliases.join(", ")} (the default: the caller's), or a full model id.`),
    permissionMode: PermissionMode.optional().describe("What the agent may do without being asked."),
    maxTurns: z.int().min(1).optional().describe("After how many turns the agent is stopped; absent: never."),
    skills: strings.optional().describe("Skills whose whole text the agent has from its start."),
    mcpServers: z
      .array(z.union([z.string(), z.looseObject({})]))
      .optional()
      .describe("Servers by name, or defined here: `{name: config}`, or the bare config with `command` or `url`."),
    hooks: HooksConfig.optional().describe(
      "What is done when, for as long as the agent lives; Stop is run as SubagentStop.",
    ),
    color: z
      .string()
      .optional()
      .describe(`How the agent is shown: ${agentColors.join(", ")}.`),
    memory: z.enum(memoryScopes).optional().describe("Where the agent keeps its memory."),
    effort: z
      .union([z.enum(effortLevels), z.int()])
      .optional()
      .describe("How hard the model is to think."),
    background: z.boolean().optional().describe("True: the agent always runs in the background."),
    isolation: z.enum(isolations).optional().describe("Where the agent works; a call may say otherwise."),
    initialPrompt: z.string().optional().describe("What is put before the first user turn."),
    requiredMcpServers: strings.optional().describe("Servers without which the agent is not offered."),
  })
  .meta({
    title: "Agent front matter",
    description: "The YAML front matter of `agents/*.md`.",
    examples: [{ name: "code-reviewer", description: "Reviews a change for bugs.", tools: "Read, Grep, Glob" }],
  });
export type AgentDefinitionFrontMatter = z.infer<typeof AgentDefinitionFrontMatter>;

/** The fields a definition may have, front matter and body. */
export const knownFields: ReadonlySet<string> = new Set([...Object.keys(AgentDefinitionFrontMatter.shape), "prompt"]);

const prompt = z.string().describe("The system prompt: the body of the file.");
const meta = (revision: Revision) => ({
  title: "Agent definition",
  description: `One agent, as its front matter and its body together say it. Hooks run on ${list(definitionHookEvents[revision])}.`,
  examples: [
    {
      name: "code-reviewer",
      description: "Reviews a change for bugs, regressions and missing tests.",
      tools: ["Read", "Grep", "Glob"],
      model: "sonnet",
      permissionMode: "default",
      maxTurns: 30,
      memory: "project",
      prompt: "You review code. Correctness comes first.",
    },
  ],
});
const list = (events: readonly string[]) => (events.length < 5 ? events.join(", ") : `all ${events.length} events`);

/** A definition as JSON, in revision 2026-02: front matter and `prompt`. */
export const AgentDefinition202602 = AgentDefinitionFrontMatter.extend({
  permissionMode: PermissionMode202602.optional().describe("What the agent may do without being asked."),
  prompt: prompt.optional(),
}).meta(meta("2026-02"));
export type AgentDefinition202602 = z.infer<typeof AgentDefinition202602>;

/** A definition as JSON, in revision 2026-11: front matter and `prompt`. */
export const AgentDefinition202611 = AgentDefinitionFrontMatter.extend({
  permissionMode: z
    .enum([...PermissionMode202611.options, "delegate"])
    .optional()
    .describe("What the agent may do without being asked; delegate is out of use and taken with a warning."),
  prompt: prompt.optional(),
}).meta(meta("2026-11"));
export type AgentDefinition202611 = z.infer<typeof AgentDefinition202611>;

/** The published schema of a definition, by revision. */
export const agentDefinitionSchemas: Readonly<Record<Revision, z.ZodType>> = {
  "2026-02": AgentDefinition202602,
  "2026-11": AgentDefinition202611,
};

/** A definition as it was understood, wherever it came from: lists are lists, and what could not be used is not there. */
export const AgentDefinition = AgentDefinitionFrontMatter.extend({
  name: z.string().min(1).describe("The agent's type."),
  description: z.string().min(1).describe("When to use the agent."),
  prompt: z.string().describe("The system prompt; empty if there is none."),
  tools: strings.optional().describe("What the agent may use; absent: what its caller has."),
  disallowedTools: strings.optional().describe("What is taken away from the tools allowed."),
}).meta({
  title: "Agent definition",
  description: "A definition as it was understood, wherever it came from.",
  examples: [{ name: "code-reviewer", description: "Reviews a change.", prompt: "You review code.", tools: ["Read"] }],
});
export type AgentDefinition = z.infer<typeof AgentDefinition>;
