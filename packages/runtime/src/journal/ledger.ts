import type { Ledger } from "@troupe/team";
import type { Journal } from "./journal.ts";

/** The ledger of a session is entries of its journal. */
export const ledgerOf = (journal: Pick<Journal, "state" | "append">): Ledger => ({
  state: () => journal.state().ledger,
  append: (entry) => void journal.append({ kind: "ledger", entry }),
});
