import { isTroupeError } from "@troupe/protocol";
import { inTurn, type RecordedEvent, type Team } from "@troupe/store";

/** Reads the history of teams again and again, each time only what was recorded since. */
export function openHistories() {
  const known = new Map<string, { readonly createdAt: number; readonly events: RecordedEvent[] }>();
  const turn = inTurn();

  async function read(team: Team): Promise<readonly RecordedEvent[]> {
    const { createdAt = 0 } = (await team.config()).value ?? {};
    const before = known.get(team.name);
    const found = before?.createdAt === createdAt ? before : { createdAt, events: [] };
    known.set(team.name, found);
    for await (const recorded of team.history(found.events.at(-1)?.id)) found.events.push(recorded);
    return found.events;
  }

  return (team: Team): Promise<readonly RecordedEvent[]> =>
    turn(() =>
      read(team).catch((error: unknown) => {
        const isLost = isTroupeError(error) && error.code === "arguments_invalid";
        // The history has gone on so far since that it does not have this place any more.
        if (!isLost || !known.delete(team.name)) throw error;
        return read(team);
      }),
    );
}

/** What of a team is asked, with a history that was read already. */
export const withHistory = <T extends object>(team: T, events: readonly RecordedEvent[]) => ({
  ...team,
  async *history(): AsyncGenerator<RecordedEvent, undefined> {
    yield* events;
    return undefined;
  },
});
