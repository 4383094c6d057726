import type { Team } from "@troupe/store";
import { eventIn, type TeamEvent } from "./events.ts";

export type Spawning = Extract<TeamEvent, { readonly kind: "spawned" }>;

/**
 * The teammates that are added in a lead's name from this call on, also by another process, until
 * the signal fires.
 */
export async function addedFromNow(
  team: Pick<Team, "history">,
  lead: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Spawning>> {
  let last: string | undefined;
  for await (const { id } of team.history()) last = id;
  return (async function* () {
    for await (const recorded of team.history(last, signal)) {
      const event = eventIn(recorded);
      if (event?.kind === "spawned" && recorded.by === lead) yield event;
    }
  })();
}
