import type { LedgerEntry } from "../ledger/entry.ts";
import { emptyLedger, foldLedger } from "../ledger/fold.ts";
import type { Ledger } from "../ledger/ledger.ts";

/** A ledger whose entries outlive those that hold it, for tests that kill and open again. */
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
