import type { SubagentMeta } from "@troupe/protocol";
import { z } from "zod";
import { type JobUsage, noUsage } from "../jobs/job.ts";
import type { Stored } from "../journal/entry.ts";
import type { AgentOwner } from "../journal/files.ts";
import { writeSubagentMeta } from "../journal/files.ts";
import type { Telling } from "../loop/tool.ts";
import { sentTokens } from "../model/model.ts";

/**
 * The run of an agent as it stands beside its transcript: by this another process of the session
 * goes on with it, and tells its end once.
 */
export const RunFacts = z.object({
  /** One more with every message that sets the agent to work again. */
  run: z.int().nonnegative().catch(0),
  /** What the run began with. */
  task: z.string().catch(""),
  /** The agent that hears of its end; the main conversation where it is absent. */
  listener: z.string().optional().catch(undefined),
  /** The last run whose end stands in the journal of the agent that hears of it. */
  told: z.int().optional().catch(undefined),
});
export type RunFacts = Readonly<z.infer<typeof RunFacts>>;

/** Tells the end of one run from all others. */
export const endOf = (id: string, run: number): string => `${id}/${run}`;

/** Writes down facts beside a transcript. */
export type Note = (facts: Partial<SubagentMeta>) => void;

export function notesBeside(owner: AgentOwner, facts: SubagentMeta): Note {
  let meta = facts;
  return (more) => {
    meta = { ...meta, ...more };
    writeSubagentMeta(owner, meta);
  };
}

/** It holds nothing of the agent, which is let go of long before its end is told. */
export const tellingOf = (id: string, run: number, note: Note): Telling => ({
  end: endOf(id, run),
  kept: () => note({ told: run }),
});

/** An agent whose run has not come to an end that is known. */
export function isOpen(meta: SubagentMeta): boolean {
  // One that judges for a hook, or does something for the runtime, is nobody's job.
  if (meta.requestShape === undefined) return false;
  if (!Object.hasOwn(meta, "run")) return meta.finished === undefined;
  const { run, told } = RunFacts.parse(meta);
  return told !== run;
}

/** The ends that a journal tells of. */
export const endsToldIn = (entries: readonly Stored[]): readonly string[] =>
  entries.flatMap((entry) => {
    if (entry.kind === "result") return entry.tells ?? [];
    const origin = entry.kind === "input" ? entry.input.origin : undefined;
    return origin?.kind === "task-notification" ? (origin.end ?? []) : [];
  });

/** What an agent has taken in all its runs, as its journal tells. */
export function usageIn(entries: readonly Stored[]): JobUsage {
  let { subagentTokens, toolUses, durationMs } = noUsage;
  let began: number | undefined;
  let last = 0;
  for (const entry of entries) {
    last = Date.parse(entry.at) || last;
    began ??= last;
    if (entry.kind === "result") toolUses++;
    if (entry.kind === "answered") subagentTokens += sentTokens(entry.answer.usage) + entry.answer.usage.output;
    if (entry.kind !== "ended") continue;
    durationMs += last - began;
    began = undefined;
  }
  return { subagentTokens, toolUses, durationMs: durationMs + (began === undefined ? 0 : last - began) };
}
