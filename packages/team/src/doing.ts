import { isUnread } from "@troupe/protocol";
import type { RecordedEvent, Team } from "@troupe/store";
import { eventIn } from "./events.ts";

/** What a member does, as its team's history says it. */
export interface Doing {
  /** It has a turn, or is about to. */
  readonly isAtWork: boolean;
  /** Requests of its own for a permission or a plan that nobody has answered. */
  readonly open: ReadonlySet<string>;
}

/** Of one that has recorded nothing yet. */
export const begun: Doing = { isAtWork: true, open: new Set() };

/** After one more event that the member recorded. */
export function doingAfter(doing: Doing, recorded: Pick<RecordedEvent, "event">): Doing {
  const event = eventIn(recorded);
  switch (event?.kind) {
    case "turn":
      return event.phase === "began" ? { ...doing, isAtWork: true } : doing;
    case "idle":
      return { ...doing, isAtWork: false };
    case "permission":
    case "plan": {
      const others = [...doing.open].filter((id) => id !== event.id);
      return { ...doing, open: new Set(event.phase === "asked" ? [...others, event.id] : others) };
    }
    default:
      return doing;
  }
}

/** In one word. */
export function stateOf({ isAtWork, open }: Doing): "working" | "idle" | "needs_input" {
  if (open.size > 0) return "needs_input";
  return isAtWork ? "working" : "idle";
}

/** The time of a roster entry as events write it; some writers put a number there that is none. */
export function momentOf(joinedAt = 0): string {
  const time = new Date(joinedAt);
  return Number.isNaN(time.getTime()) ? momentOf() : time.toISOString();
}

/** What the members do that have recorded something since they joined, by name. */
export async function doingsIn(team: Pick<Team, "config" | "history">): Promise<ReadonlyMap<string, Doing>> {
  const { value } = await team.config();
  const joined = new Map(value?.members.map(({ name, joinedAt }) => [name, momentOf(joinedAt)]));
  const doings = new Map<string, Doing>();
  for await (const recorded of team.history()) {
    const { by, at } = recorded;
    const since = joined.get(by);
    if (since !== undefined && at >= since) doings.set(by, doingAfter(doings.get(by) ?? begun, recorded));
  }
  return doings;
}

/**
 * True while one of these members has a turn, or mail to begin one with: a member records that it
 * is at work before it takes its mail, so the mail is looked at first. With each name stands
 * whether it was last seen at work, for one that rests for longer than the history goes back.
 */
export async function isAnyAtWork(
  team: Pick<Team, "config" | "history" | "mail">,
  seen: ReadonlyMap<string, boolean>,
): Promise<boolean> {
  for (const name of seen.keys()) {
    const { value = [] } = await team.mail(name).page();
    if (value.some(({ entry }) => isUnread(entry))) return true;
  }
  const doings = await doingsIn(team);
  return [...seen].some(([name, wasAtWork]) => doings.get(name)?.isAtWork ?? wasAtWork);
}
