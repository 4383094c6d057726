import { askNobody } from "@troupe/team";
import type { Agent } from "../agent/agent.ts";
import type { Ask } from "../hooks/prompt-hook.ts";
import { createAbort } from "../loop/abort.ts";
import type { KnownAgent } from "../project/definitions.ts";
import { inherit } from "./inherit.ts";
import { newAgentId, openWorking } from "./work.ts";

/**
 * Lets an agent give a verdict for a hook: it looks at things as its parent may, and asks nobody.
 * Its parent has no hooks, so that none is fired.
 */
export async function judgeAsAgent(
  { prompt, model }: Parameters<Ask>[0],
  parent: Agent,
  signal: AbortSignal,
): Promise<string> {
  const child = { id: newAgentId(), abort: createAbort(), name: "hook" };
  const judge = { mode: "dontAsk", ask: askNobody } as const;
  const kind = { kind: "agent", agent: judging, model, isBackground: false, judge } as const;
  const inherited = await inherit(kind, undefined, child, parent, signal);
  if ("refusal" in inherited) throw new Error(inherited.refusal);
  const meta = { isBuiltIn: true, description: "judge for a hook", spawnDepth: parent.depth };
  const agent = openWorking({ inherited, meta, abort: child.abort }, () => {});
  try {
    const { status, text, failure } = await agent.run(prompt, signal);
    if (status !== "completed") throw new Error(failure);
    return text;
  } finally {
    await agent.close(signal);
  }
}

const judging: KnownAgent = {
  agentType: "hook",
  whenToUse: "gives a verdict for a hook",
  getSystemPrompt: () =>
    "You examine one question with your tools, change nothing, and answer exactly in the requested form.",
  tools: ["Read", "Glob", "Grep", "Bash"],
  permissionMode: "dontAsk",
  maxTurns: 50,
  source: "built-in",
};
