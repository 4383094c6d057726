import type { LedgerEntry } from "./entry.ts";
import { emptyLedger, foldLedger } from "./fold.ts";
import type { Ledger } from "./ledger.ts";

/** A ledger that is gone with its process, or as long there as the entries that it is given. */
export function memoryLedger(entries: LedgerEntry[] = []): Ledger & { readonly entries: readonly LedgerEntry[] } {
  let state = entries.reduce(foldLedger, emptyLedger);
  return {
    entries,
    state: () => state,
    append(entry) {
      entries.push(entry);
      state = foldLedger(state, entry);
    },
  };
}
