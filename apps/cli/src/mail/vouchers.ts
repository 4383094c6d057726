import type { Message, RecordedEvent, Team } from "@troupe/store";
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

/** What stands in the history of a team at this moment, behind the event of that id. */
export const historyOf = async (team: Pick<Team, "history"> | undefined, after?: string): Promise<RecordedEvent[]> =>
  team ? recordedIn(team.history(after)) : [];

export async function recordedIn(events: AsyncIterable<RecordedEvent>): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  for await (const recorded of events) found.push(recorded);
  return found;
}
