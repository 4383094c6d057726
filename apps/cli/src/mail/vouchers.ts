import type { Message, RecordedEvent, Team } from "@troupe/store";
import { eventIn } from "@troupe/team";

/**
 * Who vouches for the sender of a message: the member itself, by its own record of having sent it.
 * Of a message that another program wrote nobody does, whatever it says of its sender.
 */
export function openVouchers() {
  const senders = new Map<string, string>();
  const keyOf = (to: string, key: string) => JSON.stringify([to, key]);
  return {
    add(recorded: RecordedEvent): void {
      const event = eventIn(recorded);
      if (event?.kind === "message") senders.set(keyOf(event.to, event.key), recorded.by);
    },
    of(to: string, { key, entry }: Message): string | null {
      const by = senders.get(keyOf(to, key));
      return by === entry.from ? by : null;
    },
  };
}

/** What stands in the history of a team at this moment, behind the event of that id. */
export const historyOf = async (team: Pick<Team, "history"> | undefined, after?: string): Promise<RecordedEvent[]> =>
  team ? recordedIn(team.history(after)) : [];

export async function recordedIn(events: AsyncIterable<RecordedEvent>): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  for await (const recorded of events) found.push(recorded);
  return found;
}
