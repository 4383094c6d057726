import type { CompactTrigger } from "../journal/entry.ts";
import type { Ports } from "../loop/ports.ts";
import type { Hooks } from "./hooks.ts";
import { hookNote } from "./note.ts";
import { type HookReports, reported } from "./report.ts";

/**
 * Hooks know who wanted a summary: a person, or nobody; that a request did not fit is no third
 * case.
 */
const triggerOf = (trigger: CompactTrigger) => (trigger === "manual" ? "manual" : "auto");

/**
 * Asks the hooks before a conversation is summarised and tells them afterwards; what they want told
 * to the model stands behind the summary.
 */
export function compactWithHooks(
  hooks: Hooks,
  reports: HookReports,
): Required<Pick<Ports, "mayCompact" | "compacted">> {
  return {
    async mayCompact(trigger, signal, words = "") {
      const fields = { trigger: triggerOf(trigger), custom_instructions: words };
      const outcome = await fired("PreCompact", fields, signal);
      const because = outcome.stop?.reason ?? outcome.block;
      if (because !== undefined) return { compacts: false, because };
      const instructions = [words, ...outcome.context].filter(Boolean).join("\n\n");
      return { compacts: true, ...(instructions !== "" && { instructions }) };
    },
    async compacted(trigger, summary, signal) {
      const after = await fired("PostCompact", { trigger: triggerOf(trigger), compact_summary: summary }, signal);
      const begun = await fired("SessionStart", { source: "compact" }, signal);
      return [...after.context, ...begun.context].map(hookNote);
    },
  };

  async function fired(event: string, fields: Readonly<Record<string, unknown>>, signal: AbortSignal) {
    return reported(await hooks.fire(event, fields, signal), reports);
  }
}
