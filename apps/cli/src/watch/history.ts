import type { RecordedEvent, Team } from "@troupe/store";

/** What stands in the history of a team at this moment, behind the event of that id. */
export const historyOf = async (team: Pick<Team, "history"> | undefined, after?: string): Promise<RecordedEvent[]> =>
  team ? recordedIn(team.history(after)) : [];

export async function recordedIn(events: AsyncIterable<RecordedEvent>): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  for await (const recorded of events) found.push(recorded);
  return found;
}
