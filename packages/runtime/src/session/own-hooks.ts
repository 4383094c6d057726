import type { Agent } from "../agent/agent.ts";
import { judgeAsAgent } from "../agents/judge.ts";
import { askModel } from "../hooks/ask-model.ts";
import { createHooks, type Hooks, type HooksDeps } from "../hooks/hooks.ts";
import { callAmong } from "../hooks/mcp-tool-hook.ts";
import type { Tool } from "../loop/tool.ts";
import type { Mcp } from "../mcp/mcp.ts";
import { chooseModel } from "../model/choice.ts";
import type { Model } from "../model/model.ts";
import { ruleMatcher } from "../permissions/matches-rule.ts";
import { textBlocks } from "../queue.ts";

export interface OwnHooksDeps
  extends Pick<HooksDeps, "environment" | "ofStart" | "projectDir" | "surroundings" | "sources"> {
  readonly home: string;
  readonly model: Model;
  readonly tools: readonly Tool<Agent>[];
  readonly mcp: Mcp | undefined;
  /** The agent that looks at things for hooks. */
  readonly judge: Agent;
}

/** The hooks of a session, which may ask its model, its servers and an agent of their own. */
export function ownHooks({ home, model, tools, mcp, judge, ...deps }: OwnHooksDeps): Hooks {
  const { key, session } = judge;
  const { show, queue } = session;
  const ofHooks = mcp?.child([]);
  return createHooks({
    ...deps,
    ask: askModel({ model, idOf: (asked = "haiku") => chooseModel({ asked, parent: key.model }) }),
    callTool: callAmong(() => ofHooks?.tools() ?? []),
    matchesRule: ruleMatcher({ home, tools, show }),
    runAgent: (question, signal) => judgeAsAgent(question, judge, signal),
    wake(reason) {
      const origin = { kind: "hook", event: "Stop" } as const;
      queue.notify({ mode: "task-notification", origin, content: textBlocks(reason) });
    },
  });
}
