import type { Participant, Team } from "@troupe/store";
import { rosterEntry } from "./handshakes/handshake.ts";

/** An event of the history: the teammate that joined at this time is at work. */
const ready = "ready";

/** Tells who started this teammate that it is at work; once its session is open. */
export async function tellReady(
  team: Pick<Team, "name" | "config">,
  self: Pick<Participant, "name" | "record">,
): Promise<void> {
  const entry = await rosterEntry(team, self.name);
  if (entry) await self.record({ kind: ready, joinedAt: entry.joinedAt });
}

/**
 * Resolves when the teammate of this name has told so since its roster entry was added; rejects
 * when the signal fires.
 */
export async function untilReady(
  team: Pick<Team, "name" | "config" | "history">,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const entry = await rosterEntry(team, name);
  for await (const { by, event } of team.history(undefined, signal)) {
    const { kind, joinedAt } = event as { readonly kind?: unknown; readonly joinedAt?: unknown };
    if (kind === ready && by === entry?.name && joinedAt === entry?.joinedAt) return;
  }
  signal.throwIfAborted();
}
