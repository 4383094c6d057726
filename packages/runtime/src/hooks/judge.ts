import type { Ports } from "../loop/ports.ts";
import type { Judge, PendingCall, ToolOutcome } from "../loop/tool.ts";
import type { Block } from "../model/model.ts";
import type { Question, Reply } from "../permissions/ask.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { Hooks } from "./hooks.ts";
import type { HookOutcome } from "./outcome.ts";

/** Whoever decides about a call after the hooks have seen it. */
export type Permit = Permissions["permit"];

/** What is told outside the conversation. */
export interface HookReports {
  /** Ends the agent: a hook said that it must not continue. */
  readonly stop: (reason: string) => void;
  /** Shows a hook's message, or its error, to the user. */
  readonly show: (message: string) => void;
}

export interface HookJudgeDeps extends HookReports {
  readonly hooks: Hooks;
  readonly permit: Permit;
}

/** Looks at calls and results with hooks first, and with permissions then. */
export function judgeWithHooks({ hooks, permit, ...reports }: HookJudgeDeps): Judge {
  /** What hooks said before the calls that run now; the model reads it with their results. */
  const contexts = new Map<string, readonly string[]>();
  return {
    async before(call, signal) {
      const outcome = report(await hooks.fire("PreToolUse", aboutCall(call), signal), reports);
      if (signal.aborted) return { runs: false, message: "The call was cancelled before it was judged." };
      if (outcome.stop) return { runs: false, message: `A hook stopped the agent: ${outcome.stop.reason}` };
      const { decision, reason } = outcome.permission ?? {};
      if (decision === "deny") return { runs: false, message: `A hook denied the call. ${reason}`.trim() };
      const behavior = decision === "defer" ? "ask" : decision;
      const changed = outcome.updatedInput ? { ...call, input: outcome.updatedInput } : call;
      const judgement = await permit(changed, { ...(behavior && { behavior }), ...(reason && { reason }) }, signal);
      if (judgement.runs) contexts.set(call.id, outcome.context);
      return judgement;
    },

    async after(call, result, signal) {
      const before = contexts.get(call.id) ?? [];
      contexts.delete(call.id);
      const outcome = report(await fireAfter(call, result, signal), reports);
      const told = [...before, ...(outcome.block === undefined ? [] : [outcome.block]), ...outcome.context];
      return told.length === 0 ? result : { ...result, content: [...result.content, ...told.map(fromHook)] };
    },
  };

  function fireAfter(call: PendingCall, { content, isError = false }: ToolOutcome, signal: AbortSignal) {
    const error = content.map((block) => block["text"] ?? `[${block.type}]`).join("\n");
    return isError
      ? hooks.fire("PostToolUseFailure", { ...aboutCall(call), error, is_interrupt: signal.aborted }, signal)
      : hooks.fire("PostToolUse", { ...aboutCall(call), tool_response: { content } }, signal);
  }
}

const aboutCall = ({ id, tool, input }: PendingCall) => ({
  tool_name: tool.definition.name,
  tool_input: input,
  tool_use_id: id,
});

const fromHook = (text: string): Block => ({ type: "text", text: `<hook>\n${text}\n</hook>` });

/** Asks the hooks in the place of whoever would be asked; undefined when nobody of them answers. */
export const answerWithHooks =
  (hooks: Hooks, reports: HookReports) =>
  async (
    { tool, input, suggestions }: Pick<Question, "tool" | "input" | "suggestions">,
    signal: AbortSignal,
  ): Promise<Reply | undefined> => {
    const fields = { tool_name: tool, tool_input: input, permission_suggestions: suggestions };
    const { answer, stop } = report(await hooks.fire("PermissionRequest", fields, signal), reports);
    if (stop) return { behavior: "deny", message: stop.reason, interrupt: true };
    if (answer?.behavior === "deny") {
      const { message = "A hook denied it.", interrupt = false } = answer;
      return { behavior: "deny", message, interrupt };
    }
    const { updatedInput, updatedPermissions: updates } = answer ?? {};
    return answer && { behavior: "allow", ...(updatedInput && { updatedInput }), ...(updates && { updates }) };
  };

/** Whether an agent may stop, as its hooks see it: those of SubagentStop inside an agent, those of Stop in the main conversation. */
export const mayStopWithHooks =
  (hooks: Hooks, reports: HookReports, transcript: string): Ports["mayStop"] =>
  async (text, isStopHookActive, signal) => {
    const fields = { stop_hook_active: isStopHookActive, last_assistant_message: text };
    const outcome = report(
      await (hooks.agentId === undefined
        ? hooks.fire("Stop", fields, signal)
        : hooks.fire("SubagentStop", { ...fields, agent_transcript_path: transcript }, signal)),
      reports,
    );
    const because = [...(outcome.block === undefined ? [] : [outcome.block]), ...outcome.context].join("\n\n");
    return outcome.stop || because === "" ? { stops: true } : { stops: false, because };
  };

function report(outcome: HookOutcome, { stop, show }: HookReports): HookOutcome {
  for (const message of [...outcome.messages, ...outcome.errors]) show(message);
  if (outcome.stop) stop(outcome.stop.reason);
  return outcome;
}
