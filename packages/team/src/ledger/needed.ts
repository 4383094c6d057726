import type { MessageDraft } from "@troupe/protocol";
import type { LedgerEntry } from "./entry.ts";
import { emptyLedger, exchangeOf, foldLedger, type LedgerState } from "./fold.ts";

/**
 * The entries whose fold is that of all of these: those of the last membership, without the bodies
 * of answers that were sent and of requests that were answered.
 */
export function stillNeeded(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  let state = emptyLedger;
  let begin = 0;
  for (const [at, entry] of entries.entries()) {
    const next = foldLedger(state, entry);
    const isAnother = next.membership !== state.membership && (state.membership !== undefined || state.hasLeft);
    if (isAnother) begin = at;
    state = next;
  }
  return entries.slice(begin).map((entry) => bare(entry, state));
}

function bare(entry: LedgerEntry, { decided, open }: LedgerState): LedgerEntry {
  if (entry.kind === "decided" && decided.get(exchangeOf(entry.to, entry.id))?.isSent)
    // Nobody sends it again, and a fold does not look at it.
    return { ...entry, body: {} as MessageDraft };
  if (entry.kind !== "delivered" || !entry.opens || open.has(exchangeOf(entry.from, entry.opens.id))) return entry;
  const { request: _, ...opens } = entry.opens;
  return { ...entry, opens };
}
