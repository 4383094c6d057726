import { messageOf } from "@troupe/protocol";
import type { Participant } from "@troupe/store";
import type { TeamEvent } from "../events.ts";
import type { Outcome } from "./entry.ts";
import type { Ledger } from "./ledger.ts";

/** The event of a request that came to something. */
export const outcomeEvent = ({ handshake, id, result }: Outcome): TeamEvent => ({ kind: handshake, id, phase: result });

/** Writes events to the team's history for a member; one that cannot be written is shown. */
export const recorder =
  (self: Pick<Participant, "record">, show: (message: string) => void) =>
  (event: TeamEvent): Promise<void> =>
    self.record(event).catch((error: unknown) => show(`the team's history has no ${event.kind}: ${messageOf(error)}`));

/**
 * Records the member's own requests in the history of its team, and what became of those of which
 * no message is heard.
 */
export const recordRequests = (ledger: Ledger, record: (event: TeamEvent) => Promise<void>): Ledger => ({
  state: ledger.state,
  append(entry) {
    ledger.append(entry);
    if (entry.kind === "asked") {
      const { handshake, id, digest, about } = entry;
      void record({ ...about, ...(digest !== undefined && { digest }), kind: handshake, id, phase: "asked" });
    }
    if (entry.kind === "settled") void record(outcomeEvent(entry.outcome));
  },
});
