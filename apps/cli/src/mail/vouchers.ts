import type { Message, RecordedEvent } from "@troupe/store";
import { eventIn } from "@troupe/team";

/**
 * Who vouches for the sender of a message: the member itself, by its own record of having sent it.
 * Of a message that another program wrote nobody does, whatever it says of its sender.
 */
export function openVouchers() {
  const sent = new Set<string>();
  const idOf = (to: string, key: string, by: string) => JSON.stringify([to, key, by]);
  return {
    add(recorded: RecordedEvent): void {
      const event = eventIn(recorded);
      if (event?.kind === "message") sent.add(idOf(event.to, event.key, recorded.by));
    },
    of: (to: string, { key, entry: { from } }: Message): string | null => (sent.has(idOf(to, key, from)) ? from : null),
  };
}
