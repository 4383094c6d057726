import type { CallQuestion, Reply } from "@troupe/team";
import type { PendingCall } from "../loop/tool.ts";
import type { Advice, Advisor } from "../permissions/advice.ts";
import { aboutCall } from "./call-fields.ts";
import type { Hooks } from "./hooks.ts";
import { hookNote } from "./note.ts";
import { type HookReports, reported } from "./report.ts";

/**
 * Hooks as advisors of a call before it is judged, and in the place of the person. Where none is
 * configured for an event, nothing is asked.
 */
export function advisorOf(hooks: Hooks, reports: HookReports): Advisor {
  return {
    ...(hooks.has("PreToolUse") && { before }),
    ...(hooks.has("PermissionRequest") && { answer }),
  };

  async function before(call: PendingCall, signal: AbortSignal): Promise<Advice> {
    const {
      stop,
      permission,
      updatedInput: input,
      context: notes,
    } = reported(await hooks.fire("PreToolUse", aboutCall(call), signal), reports);
    if (stop) return { refusal: `A hook stopped the agent: ${stop.reason}` };
    const { decision, reason } = permission ?? {};
    if (decision === "deny") return { refusal: `A hook denied the call. ${reason}`.trim() };
    return {
      behavior: decision === "defer" ? "ask" : decision,
      reason: reason || undefined,
      input,
      notes: notes.map(hookNote),
    };
  }

  async function answer(
    { tool, input, suggestions }: Pick<CallQuestion, "tool" | "input" | "suggestions">,
    signal: AbortSignal,
  ): Promise<Reply | undefined> {
    const fields = { tool_name: tool, tool_input: input, permission_suggestions: suggestions };
    const { answer, stop } = reported(await hooks.fire("PermissionRequest", fields, signal), reports);
    if (stop) return { behavior: "deny", message: stop.reason, interrupt: true };
    if (answer?.behavior === "deny") {
      const { message = "A hook denied it.", interrupt = false } = answer;
      return { behavior: "deny", message, interrupt };
    }
    const { updatedInput, updatedPermissions: updates } = answer ?? {};
    return answer && { behavior: "allow", ...(updatedInput && { updatedInput }), ...(updates && { updates }) };
  }
}
