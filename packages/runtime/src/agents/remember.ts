import { join } from "node:path";
import type { Agent } from "../agent/agent.ts";
import type { State } from "../journal/state.ts";
import { cacheSafeParamsOf } from "../loop/forked-agent.ts";
import { runForkedAgent } from "../loop/run.ts";
import type { PendingCall } from "../loop/tool.ts";
import { follow, isBelow } from "../permissions/place.ts";
import { textBlocks } from "../queue.ts";
import { memoryTools } from "./inherit.ts";

/** More would be work of another kind. */
const maxTurns = 6;

/**
 * Asks an agent that has done its work what of it to remember, in a conversation beside its own,
 * which goes on as if nothing had been asked. It may look at its memory and change the texts there.
 */
export async function remember(memory: string, agent: Agent, state: State, signal: AbortSignal): Promise<void> {
  const cacheSafeParams = cacheSafeParamsOf(state);
  const real = follow(memory);
  if (!cacheSafeParams || real === undefined) return;
  const isOwn = (path: string) => isBelow(follow(path) ?? "", real);
  const mayRun = ({ tool, input }: Pick<PendingCall, "tool" | "input">) => {
    const reaches = tool.reaches?.(input, agent.cwd) ?? [];
    const isOfMemory = reaches.length > 0 && reaches.every((reach) => "path" in reach && isOwn(reach.path));
    return (
      memoryTools.has(tool.definition.name) &&
      isOfMemory &&
      agent.permissions.judge({ tool, input }).behavior === "allow"
    );
  };
  await runForkedAgent({
    cacheSafeParams,
    promptMessages: textBlocks(
      `Your work is done and was reported. Keep what helps next time, and nothing else, in ${join(memory, "MEMORY.md")}: what you learned about this project and how to work in it, not what you did. Change the texts there with Read, Write and Edit, or do nothing.`,
    ),
    canUseTool: async (call) =>
      mayRun(call)
        ? { runs: true, input: call.input }
        : { runs: false, message: `Here only texts below ${memory} may be read and changed.` },
    model: agent.session.model,
    tools: agent.session.tools(agent),
    agent,
    limits: { maxTurns },
    signal,
  });
}
