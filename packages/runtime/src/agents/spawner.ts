import { createHooks } from "../hooks/hooks.ts";
import type { Ask as AskJudge } from "../hooks/prompt-hook.ts";
import { createAbort } from "../loop/abort.ts";
import type { Tool } from "../loop/tool.ts";
import { askNobody } from "../permissions/ask.ts";
import { agentTool } from "../tools/agent.ts";
import { agentOutcome } from "../tools/agent-outcome.ts";
import { type SendMessageDeps, sendMessageTool } from "../tools/send-message.ts";
import type { SkillDeps } from "../tools/skill.ts";
import type { KnownAgent } from "./definitions.ts";
import { agentListing, deniedAgents, offeredAgents } from "./denied.ts";
import { inheritAsAgent } from "./inheritance.ts";
import { type LaunchDeps, launch } from "./launch.ts";
import type { Parent, ParentToBe } from "./parent.ts";
import { runSkill, skillTask } from "./run-skill.ts";
import { sendToAgent } from "./send.ts";
import { newAgentId, openSubagent } from "./subagent.ts";

export interface SpawnerDeps extends Omit<LaunchDeps, "tools" | "runSkill" | "denied" | "resuming"> {
  /** The names of the servers that are configured. */
  readonly servers: readonly string[];
  /** Carries the main conversation's messages to its team. */
  readonly toTeam?: NonNullable<SendMessageDeps["toTeam"]>;
}

/** How the agents of a session start agents. */
export interface Spawner {
  /** By what one of them reaches others: Agent, SendMessage. */
  toolsFor(parent: Parent): readonly Tool[];
  /** Has an agent do a forked skill, and says what came of it or where it will be heard of. */
  runSkill(parent: Parent): NonNullable<SkillDeps["runForked"]>;
  /** Lets an agent give a verdict for a hook: it looks at things as its parent may, asks nobody, and fires no hooks itself. */
  judge(parent: ParentToBe): AskJudge;
}

export function createSpawner(deps: SpawnerDeps): Spawner {
  const { household, gates, agents, servers } = deps;
  const { revision } = household;
  const resuming = new Map<string, Promise<unknown>>();
  return { toolsFor, runSkill: skillsOf, judge };

  function depsFor({ permissions }: Parent): LaunchDeps {
    const denied = deniedAgents(agents, permissions.rules());
    return { ...deps, denied, resuming, tools: toolsFor, runSkill: skillsOf };
  }

  function skillsOf(parent: Parent): NonNullable<SkillDeps["runForked"]> {
    return async (skill, prompt, context) => {
      const began = await runSkill(skill, prompt, context, parent, depsFor(parent));
      return agentOutcome(skillTask(skill, prompt), began, revision);
    };
  }

  function toolsFor(parent: Parent): readonly Tool[] {
    return [
      agentTool({
        revision,
        gates: { ...gates, isForkEnabled: revision === "2026-11" ? gates.isInteractive : gates.isForkEnabled },
        list: agentListing(offeredAgents(agents, parent.permissions.rules(), servers)),
        launch: (task, context) => launch(task, context, parent, depsFor(parent)),
      }),
      sendMessageTool({
        revision,
        toAgent: (message, { signal }) => sendToAgent(message, signal, parent, depsFor(parent)),
        ...(deps.toTeam && parent.id === undefined && { toTeam: deps.toTeam }),
      }),
    ];
  }

  function judge(parent: ParentToBe): AskJudge {
    const hooks = createHooks({
      sources: [],
      surroundings: deps.surroundings,
      environment: {},
      projectDir: parent.cwd,
    });
    return async ({ prompt, model }, signal) => {
      const child = { id: newAgentId(), abort: createAbort(), name: "hook" };
      const route = {
        kind: "agent",
        agent: judgingAgent,
        model,
        isBackground: false,
        judge: { mode: "dontAsk", ask: askNobody },
      } as const;
      const inherited = await inheritAsAgent(
        route,
        child,
        parent,
        { ...deps, hooks, tools: toolsFor, runSkill: skillsOf },
        signal,
      );
      if ("refusal" in inherited) throw new Error(inherited.refusal);
      const meta = { isBuiltIn: true, description: "judge for a hook", spawnDepth: parent.caller.depth };
      const agent = openSubagent({ ...inherited, ...child, household, meta, onEvent: () => {} });
      try {
        const { status, text, failure } = await agent.run(prompt, signal);
        if (status !== "completed") throw new Error(failure);
        return text;
      } finally {
        await agent.close();
      }
    };
  }
}

const judgingAgent: KnownAgent = {
  agentType: "hook",
  whenToUse: "gives a verdict for a hook",
  getSystemPrompt: () =>
    "You look into one question with the tools you have, change nothing, and answer exactly in the form that is asked for.",
  tools: ["Read", "Glob", "Grep", "Bash"],
  permissionMode: "dontAsk",
  maxTurns: 50,
  source: "built-in",
};
