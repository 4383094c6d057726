import { z } from "zod";
import { HooksConfig } from "../hooks/config.ts";
import { definitionHookEvents } from "../hooks/events.ts";
import { PermissionMode, PermissionMode202602, PermissionMode202611 } from "../permissions.ts";
import type { Revision } from "../revisions/revision.ts";
import { agentColors, effortLevels, isolations, memoryScopes, modelAliases } from "./legal-values.ts";

const strings = z.array(z.string());

/** The fields of front matter. Loose: an unknown field is kept and has no effect. */
export const AgentDefinitionFrontMatter = z
  .looseObject({
    name: z
      .string()
      .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      .describe("The type that callers name, in kebab-case; the file may have another name."),
    description: z.string().regex(/\S/).describe("When to use the agent; the caller's model decides by this text."),
    tools: z
      .union([z.string(), strings])
      .optional()
      .describe(
        'What the agent may use, as a list or a comma-separated string; absent: what its caller has; "*": all.',
      ),
    disallowedTools: z.union([z.string(), strings]).optional().describe("Tools removed from the allowed ones."),
    model: z
      .string()
      .optional()
      .describe(`${modelAliases.join(", ")} (the default: the caller's), or a full model id.`),
    permissionMode: PermissionMode.optional().describe("The permission mode of the agent."),
    maxTurns: z
      .int()
      .min(1)
      .optional()
      .describe("The number of turns after which the agent is stopped; absent: no limit."),
    skills: strings.optional().describe("Skills whose whole text is in the agent's context from the start."),
    mcpServers: z
      .array(z.union([z.string(), z.looseObject({})]))
      .optional()
      .describe("Servers by name, or defined here: `{name: config}`, or the bare config with `command` or `url`."),
    hooks: HooksConfig.optional().describe(
      "Hooks by event, for the lifetime of the agent; Stop is run as SubagentStop.",
    ),
    color: z
      .string()
      .optional()
      .describe(`How the agent is shown: ${agentColors.join(", ")}.`),
    memory: z.enum(memoryScopes).optional().describe("Where the agent keeps its memory."),
    effort: z
      .union([z.enum(effortLevels), z.int()])
      .optional()
      .describe("The effort the model should use."),
    background: z.boolean().optional().describe("True: the agent always runs in the background."),
    isolation: z.enum(isolations).optional().describe("Where the agent works; a call can override it."),
    initialPrompt: z.string().optional().describe("Text placed before the first user turn."),
    requiredMcpServers: strings.optional().describe("MCP servers that must be present for the agent to be offered."),
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
  description: `One agent, from its front matter and its body. Hooks run on ${list(definitionHookEvents[revision])}.`,
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
  permissionMode: PermissionMode202602.optional().describe("The permission mode of the agent."),
  prompt: prompt.optional(),
}).meta(meta("2026-02"));
export type AgentDefinition202602 = z.infer<typeof AgentDefinition202602>;

/** A definition as JSON, in revision 2026-11: front matter and `prompt`. */
export const AgentDefinition202611 = AgentDefinitionFrontMatter.extend({
  permissionMode: z
    .enum([...PermissionMode202611.options, "delegate"])
    .optional()
    .describe("The permission mode of the agent; `delegate` is obsolete and accepted with a warning."),
  prompt: prompt.optional(),
}).meta(meta("2026-11"));
export type AgentDefinition202611 = z.infer<typeof AgentDefinition202611>;

/** The published schema of a definition, by revision. */
export const agentDefinitionSchemas: Readonly<Record<Revision, z.ZodType>> = {
  "2026-02": AgentDefinition202602,
  "2026-11": AgentDefinition202611,
};

/** A definition as it was read, from any source: lists are lists, and unusable parts are absent. */
export const AgentDefinition = AgentDefinitionFrontMatter.extend({
  name: z.string().min(1).describe("The agent's type."),
  description: z.string().min(1).describe("When to use the agent."),
  prompt: z.string().describe("The system prompt; empty if there is none."),
  tools: strings.optional().describe("The tools the agent may use; absent: those of its caller."),
  disallowedTools: strings.optional().describe("Tools removed from the allowed ones."),
}).meta({
  title: "Agent definition",
  description: "A definition as it was understood, wherever it came from.",
  examples: [{ name: "code-reviewer", description: "Reviews a change.", prompt: "You review code.", tools: ["Read"] }],
});
export type AgentDefinition = z.infer<typeof AgentDefinition>;
