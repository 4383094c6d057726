import type { LedgerEntry } from "./entry.ts";
import type { LedgerState } from "./fold.ts";

/**
 * What a member remembers of its mail: of a session entries of its journal, of any other a file.
 */
export interface Ledger {
  state(): LedgerState;
  /** On disk when it returns: a process that is killed afterwards has lost nothing. */
  append(entry: LedgerEntry): void;
}
