import type { z } from "zod";
import type { AgentDefinition } from "./definition.ts";

type Settings = z.infer<
  z.ZodObject<Omit<typeof AgentDefinition.shape, "name" | "description" | "prompt">, z.core.$loose>
>;

/**
 * A definition under the names of the Agent tool: what `subagent_type` names, and what the model
 * and the agent see.
 */
export type AgentType = Settings & {
  readonly agentType: string;
  readonly whenToUse: string;
  getSystemPrompt(): string;
};

/**
 * The same definition under those names. A plugin's agents carry its name in front:
 * `plugin:directory:name`.
 */
export function agentTypeOf(definition: AgentDefinition, namespace?: string): AgentType {
  const { name, description, prompt, ...settings } = definition;
  return {
    ...settings,
    agentType: namespace ? `${namespace}:${name}` : name,
    whenToUse: description,
    getSystemPrompt: () => prompt,
  };
}
