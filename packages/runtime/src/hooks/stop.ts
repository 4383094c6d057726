import type { Ports } from "../loop/ports.ts";
import type { Hooks } from "./hooks.ts";
import { type HookReports, reported } from "./report.ts";

/**
 * Whether an agent may stop, as its hooks see it: those of SubagentStop inside an agent, those of
 * Stop in the main conversation.
 */
export const mayStopWithHooks =
  (hooks: Hooks, reports: HookReports, transcript: string): Ports["mayStop"] =>
  async (text, isStopHookActive, signal) => {
    const fields = { stop_hook_active: isStopHookActive, last_assistant_message: text };
    const outcome = reported(
      await (hooks.agentId === undefined
        ? hooks.fire("Stop", fields, signal)
        : hooks.fire("SubagentStop", { ...fields, agent_transcript_path: transcript }, signal)),
      reports,
    );
    const because = [...(outcome.block === undefined ? [] : [outcome.block]), ...outcome.context].join("\n\n");
    return outcome.stop || because === "" ? { stops: true } : { stops: false, because };
  };
