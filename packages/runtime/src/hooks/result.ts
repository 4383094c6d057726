import type { Judge, PendingCall, ToolOutcome } from "../loop/tool.ts";
import type { Block } from "../model/model.ts";
import { aboutCall } from "./call-fields.ts";
import type { Hooks } from "./hooks.ts";
import { hookNote } from "./note.ts";
import { type HookReports, reported } from "./report.ts";

/**
 * The result of a call, with what was said before it ran and what hooks say of what came of it.
 */
export function resultWithHooks(hooks: Hooks, reports: HookReports): Judge["after"] {
  const hears = ["PostToolUse", "PostToolUseFailure"].some(hooks.has);
  return async (call, result, signal) => {
    const outcome = hears ? reported(await fireAfter(hooks, call, result, signal), reports) : undefined;
    const { block, context = [] } = outcome ?? {};
    const told = [...(call.notes ?? []), ...[...(block === undefined ? [] : [block]), ...context].map(hookNote)];
    return told.length === 0 ? result : { ...result, content: [...result.content, ...told.map(inWords)] };
  };
}

function fireAfter(hooks: Hooks, call: PendingCall, { content, isError = false }: ToolOutcome, signal: AbortSignal) {
  const error = content.map((block) => block["text"] ?? `[${block.type}]`).join("\n");
  return isError
    ? hooks.fire("PostToolUseFailure", { ...aboutCall(call), error, is_interrupt: signal.aborted }, signal)
    : hooks.fire("PostToolUse", { ...aboutCall(call), tool_response: { content } }, signal);
}

const inWords = (text: string): Block => ({ type: "text", text });
