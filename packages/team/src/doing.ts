import { isTroupeError, isUnread, type Member } from "@troupe/protocol";
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
function doingAfter(doing: Doing, recorded: Pick<RecordedEvent, "event">): Doing {
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

/** Only what works by itself records these; commands of a person send, start and change tasks. */
const ofWork: ReadonlySet<string | undefined> = new Set(["ready", "turn", "tool", "permission", "plan", "idle"]);

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

/** What members do, from their team's history, event after event. */
export interface Doings {
  take(recorded: RecordedEvent): void;
  /** How many events it has taken. */
  taken(): number;
  /** Undefined of one that has not said since it joined whether it works, as a person. */
  of(member: Pick<Member, "name" | "joinedAt">): Doing | undefined;
}

/**
 * A member that a lead has added begins where the lead recorded that: clocks go back, and one of
 * its name may have been there before. Of one that joined by itself only the time tells.
 */
export function foldDoings(): Doings {
  const latest = new Map<string, { readonly joinedAt?: number; readonly at: string; readonly doing?: Doing }>();
  let taken = 0;
  return {
    taken: () => taken,
    take(recorded) {
      taken += 1;
      const event = eventIn(recorded);
      if (event?.kind === "spawning") {
        latest.set(event.name, { joinedAt: event.joinedAt, at: "" });
        return;
      }
      const { by, at } = recorded;
      const before = latest.get(by);
      const isKnown = before?.doing !== undefined || ofWork.has(event?.kind);
      latest.set(by, { ...before, at, ...(isKnown && { doing: doingAfter(before?.doing ?? begun, recorded) }) });
    },
    of({ name, joinedAt }) {
      const found = latest.get(name);
      const isIts =
        found?.joinedAt === undefined ? (found?.at ?? "") >= momentOf(joinedAt) : found.joinedAt === joinedAt;
      return isIts ? found?.doing : undefined;
    },
  };
}

/** Reads what members do, each time only what was recorded since the last. */
export function readDoings(team: Pick<Team, "history">): () => Promise<Doings> {
  let doings = foldDoings();
  let last: string | undefined;
  async function read(): Promise<Doings> {
    for await (const recorded of team.history(last)) {
      doings.take(recorded);
      last = recorded.id;
    }
    return doings;
  }
  return () =>
    read().catch((error: unknown) => {
      if (last === undefined || !isTroupeError(error) || error.code !== "arguments_invalid") throw error;
      // The history has gone on so far since that it does not have its place any more.
      last = undefined;
      doings = foldDoings();
      return read();
    });
}

/** What the members do that have recorded something since they joined, by name. */
export async function doingsIn(team: Pick<Team, "config" | "history">): Promise<ReadonlyMap<string, Doing>> {
  const [{ value }, doings] = await Promise.all([team.config(), readDoings(team)()]);
  return new Map(
    (value?.members ?? []).flatMap((member) => {
      const doing = doings.of(member);
      return doing ? [[member.name, doing] as const] : [];
    }),
  );
}

/**
 * True while one of these members has a turn, or mail to begin one with. A member records that it
 * is at work before it takes its mail, and writes to others before it rests: so all of them rest
 * where nothing was recorded from before their mail was looked at until after it. With each name
 * stands whether it was last seen at work, for one that rests for longer than the history goes
 * back.
 */
export async function isAnyAtWork(
  team: Pick<Team, "config" | "history" | "mail">,
  seen: ReadonlyMap<string, boolean>,
  read = readDoings(team),
): Promise<boolean> {
  for (;;) {
    const { value } = await team.config();
    const doings = await read();
    const doingOf = (name: string) => doings.of(value?.members.find((member) => member.name === name) ?? { name });
    if ([...seen].some(([name, wasAtWork]) => doingOf(name)?.isAtWork ?? wasAtWork)) return true;
    const taken = doings.taken();
    for (const name of seen.keys()) {
      const { value: mail = [] } = await team.mail(name).page();
      if (mail.some(({ entry }) => isUnread(entry))) return true;
    }
    if ((await read()).taken() === taken) return false;
  }
}
