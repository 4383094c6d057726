import type { CompactTrigger, Entry, Stored } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import type { ModelFailure } from "../model/model.ts";
import { summaryTokens } from "../prompt/context.ts";
import { type SummaryWish, summaryOf, summaryPast, summaryWords } from "../prompt/summary.ts";
import { type Drive, driveForked } from "./forked-agent.ts";
import type { CompactVerdict, Ports } from "./ports.ts";

/**
 * How often the older half of the rounds is left out of a summary that cannot be asked for
 * otherwise.
 */
const mostHalvings = 3;

/**
 * A fork of the conversation writes its summary: with the same prefix, so what is in the cache is
 * read once more and not written anew. Gives what is to be written down; `unwanted`, the agent goes
 * on without one, and nothing where it was aborted meanwhile.
 */
export async function compact(
  trigger: CompactTrigger,
  { journal, model, mayCompact, compacted, inputs, limits, newId, sleep }: Omit<Ports, "tools" | "agent">,
  signal: AbortSignal,
  drive: Drive,
  words?: string,
): Promise<Entry | "unwanted" | undefined> {
  const verdict = (await mayCompact?.(trigger, signal, words)) ?? { compacts: true, instructions: words };
  if (signal.aborted) return undefined;
  if (!verdict.compacts)
    return trigger === "auto" ? "unwanted" : failed({ kind: "overflow", message: verdict.because });
  const { instructions } = verdict;
  const before = journal.state();
  for (let halvings = 0; ; halvings++) {
    const wish: SummaryWish = { trigger, halvings, ...(instructions && { instructions }) };
    const cacheSafeParams = summaryPast(before, wish);
    if (!cacheSafeParams) return failed({ kind: "overflow", message: "not even a summary fits" });
    const maxTokens = Math.min(summaryTokens, limits.maxAnswerTokens);
    const { answers, failure } = await driveForked(drive, {
      cacheSafeParams,
      promptMessages: summaryWords(wish),
      model,
      newId,
      sleep,
      signal,
      whenUrgent: inputs.whenUrgent,
      limits: { maxTurns: 1, maxFailures: 0, answerTokens: maxTokens, maxAnswerTokens: maxTokens },
    });
    const [answer] = answers;
    if (answer) {
      const summary = summaryOf(answer, wish);
      if (summary === undefined)
        return failed({ kind: "invalid", message: "the model was asked for a summary and gave none" });
      const told = (await compacted?.(trigger, summary, signal)) ?? [];
      const { tokens: preTokens } = journal.state();
      const { usage } = answer;
      return { kind: "compacted", summary: [summary, ...told].join("\n\n"), trigger, preTokens, usage };
    }
    if (signal.aborted || !failure) return undefined;
    const isLast = halvings === mostHalvings || !summaryPast(before, { ...wish, halvings: halvings + 1 });
    if (failure.kind !== "overflow" || isLast) return failed(failure);
  }
}

/**
 * At a person's wish, while no turn goes on: writes it down, or says why nothing was replaced. A
 * summary that fails is no failure of the conversation.
 */
export async function compactAtWish(
  ports: Omit<Ports, "tools" | "agent">,
  signal: AbortSignal,
  drive: Drive,
  words?: string,
): Promise<Stored | string> {
  const { past, ended } = ports.journal.state();
  if (!past) return "There is nothing to summarise yet.";
  if (!ended) return "The last turn has not come to its end: say how it is to go on first.";
  const came = await compact("manual", ports, signal, drive, words);
  if (!came || came === "unwanted") return "Interrupted: the conversation is as it was.";
  if (came.kind !== "failed") return ports.journal.append(came);
  return `The conversation was not summarised: ${came.failure.message}`;
}

const failed = (failure: ModelFailure): Entry => ({ kind: "failed", failure, during: "summary" });

type MayCompact = NonNullable<Ports["mayCompact"]>;

/** A hook that forbids a summary is not asked again for every try of the same request. */
export function onceARound(journal: Journal, mayCompact: MayCompact): MayCompact {
  let known: { readonly turns: number; readonly trigger: CompactTrigger; readonly verdict: CompactVerdict } | undefined;
  return async (trigger, signal) => {
    const { turns } = journal.state();
    if (known?.turns !== turns || known.trigger !== trigger)
      known = { turns, trigger, verdict: await mayCompact(trigger, signal) };
    return known.verdict;
  };
}
