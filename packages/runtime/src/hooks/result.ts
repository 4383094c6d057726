import type { Judge, PendingCall, ToolOutcome } from "../loop/tool.ts";
import type { Block } from "../model/model.ts";
import { aboutCall } from "./call-fields.ts";
import type { Hooks } from "./hooks.ts";
import { hookNote } from "./note.ts";
import { type HookReports, reported } from "./report.ts";

/**
 * The result of a call, with what hooks said before it ran and say of what came of it; undefined
 * where no hook is configured that could say anything.
 */
export function resultWithHooks(hooks: Hooks, reports: HookReports): Judge["after"] {
  if (!["PreToolUse", "PostToolUse", "PostToolUseFailure"].some(hooks.has)) return undefined;
  return async (call, result, signal) => {
    const outcome = reported(await fireAfter(hooks, call, result, signal), reports);
    const { notes = [] } = call;
    const told = [...notes, ...(outcome.block === undefined ? [] : [outcome.block]), ...outcome.context];
    return told.length === 0 ? result : { ...result, content: [...result.content, ...told.map(fromHook)] };
  };
}

function fireAfter(hooks: Hooks, call: PendingCall, { content, isError = false }: ToolOutcome, signal: AbortSignal) {
  const error = content.map((block) => block["text"] ?? `[${block.type}]`).join("\n");
  return isError
    ? hooks.fire("PostToolUseFailure", { ...aboutCall(call), error, is_interrupt: signal.aborted }, signal)
    : hooks.fire("PostToolUse", { ...aboutCall(call), tool_response: { content } }, signal);
}

const fromHook = (text: string): Block => ({ type: "text", text: hookNote(text) });
