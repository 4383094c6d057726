import { isUnread } from "@troupe/protocol";
import type { Participant, Team } from "@troupe/store";
import { eventIn, type TeamEvent } from "./events.ts";
import { rosterEntry } from "./handshakes/handshake.ts";

/** Tells who started this teammate that it is at work; once its session is open. */
export async function tellReady(
  team: Pick<Team, "name" | "config">,
  self: Pick<Participant, "name" | "record">,
): Promise<void> {
  const entry = await rosterEntry(team, self.name);
  if (entry) await self.record({ kind: "ready", joinedAt: entry.joinedAt } satisfies TeamEvent);
}

/**
 * Resolves when the teammate of this name has told so since its roster entry was added, and behind
 * this event if one is given; rejects when the signal fires.
 */
export async function untilReady(
  team: Pick<Team, "name" | "config" | "history">,
  name: string,
  signal: AbortSignal,
  after?: string,
): Promise<void> {
  const entry = await rosterEntry(team, name);
  for await (const recorded of team.history(after, signal)) {
    const event = eventIn(recorded);
    if (event?.kind === "ready" && recorded.by === entry?.name && event.joinedAt === entry?.joinedAt) return;
  }
  signal.throwIfAborted();
}

/**
 * The same of a client that tells nothing: it is at work once its prompt, the first of its mail,
 * was taken.
 */
export async function untilHeard(team: Pick<Team, "mail" | "watch">, name: string, signal: AbortSignal): Promise<void> {
  const changes = team.watch(signal);
  try {
    do {
      const { value = [] } = await team.mail(name).page();
      if (value.every(({ entry }) => !isUnread(entry))) return;
    } while (!(await changes.next()).done);
  } finally {
    await changes.return?.();
  }
  signal.throwIfAborted();
}
