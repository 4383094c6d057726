import { agentTypes, parseToolRules, TroupeError } from "@troupe/protocol";
import { boundOf } from "../agent/bound.ts";
import { memoryPlace } from "../agents/memory-place.ts";
import { definedServers, unmetServers } from "../agents/servers.ts";
import type { PersonHooks } from "../hooks/person-hooks.ts";
import type { State } from "../journal/state.ts";
import type { Mcp } from "../mcp/mcp.ts";
import { chooseModel } from "../model/choice.ts";
import type { CacheKey } from "../model/frozen.ts";
import { namesAgent } from "../permissions/rule.ts";
import type { KnownAgent } from "../project/definitions.ts";
import type { Project } from "../project/project.ts";
import type { SessionOptions } from "./session.ts";

export interface MainDefinitionDeps extends Pick<SessionOptions, "model" | "modelOverrides"> {
  readonly key: CacheKey;
  readonly root: string;
  readonly project: string;
}

/** What the main conversation has of its definition, besides its prompt and its mode. */
export function mainDefinition(
  { definition, agents }: Pick<Project, "definition" | "agents">,
  { model: asked, modelOverrides: overrides, key, root, project }: MainDefinitionDeps,
) {
  const { agentType, model, effort, hooks, tools, initialPrompt } = definition ?? {};
  const specs = definition ? definedServers(definition) : [];
  const chosen = chooseModel({
    asked: asked ?? model,
    parent: key.model,
    overrides: { ...overrides, CLAUDE_CODE_SUBAGENT_MODEL: undefined },
  });
  return {
    key: {
      ...key,
      model: chosen,
      ...(key.effort === undefined && effort !== undefined && { effort: String(effort) }),
    } satisfies CacheKey,
    bounds: definition ? [boundOf(definition, false)] : [],
    memory: definition && memoryPlace({ agent: definition, root, project }),
    agents: startable(agents, tools),
    /** The servers of the session and those of the definition, which end with them. */
    servers: (mcp: Mcp | undefined): Mcp | undefined => (specs.length > 0 ? mcp?.child(specs) : mcp),
    hooks: hooks ? [{ hooks, origin: `the definition of ${agentType}` }] : [],
    /** Before the first turn of a process; throws `arguments_invalid` where it cannot work. */
    async begin(mcp: Mcp | undefined, signal: AbortSignal): Promise<void> {
      const unmet = definition && (await unmetServers(definition, mcp, signal));
      if (unmet !== undefined) throw new TroupeError("arguments_invalid", unmet, { agent: agentType });
    },
    /** What a conversation that is new begins with, ahead of the first words for it. */
    prompt(talk: Pick<PersonHooks, "note">, { past, said, waiting }: Pick<State, "past" | "said" | "waiting">): void {
      const isNew = !past && said.length === 0 && waiting.length === 0;
      if (isNew && initialPrompt) talk.note(initialPrompt, "now");
    },
  };
}

/**
 * The agents that can be started where `tools` name types, as in `Agent(reviewer, tester)`; all of
 * them where they name none.
 */
function startable(agents: readonly KnownAgent[], tools: readonly string[] | undefined): readonly KnownAgent[] {
  const { rules } = parseToolRules(tools ?? []);
  const named = rules.filter((rule) => rule.kind === "every" || (rule.kind === "tool" && rule.name === "Agent"));
  if (named.length === 0 || named.some((rule) => agentTypes(rule) === undefined)) return agents;
  return agents.filter(({ agentType }) => named.some((rule) => namesAgent(rule, agentType)));
}
