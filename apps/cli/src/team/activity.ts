import type { Overview, RecordedEvent } from "@troupe/store";
import { eventIn, foldDoings, momentOf, stateOf, type TeamEvent } from "@troupe/team";
import { ageText } from "../age.ts";
import { openStore, type StorePlace } from "../open.ts";
import type { Span } from "../paint.ts";
import { historyOf } from "../watch/history.ts";
import { toldRecord } from "../watch/recorded.ts";
import { isOver } from "./liveness.ts";

/** What a member does, as its team's history says. */
export interface Activity {
  /** Undefined of a member that does not say it: a person who leads by commands. */
  readonly state: ReturnType<typeof stateOf> | undefined;
  /** ISO 8601; when that began. */
  readonly since: string;
  /** How long ago that is. */
  readonly age: string;
  /** The model that its lead has started it with. */
  readonly model: string | undefined;
  /** The last thing that it did, in words. */
  readonly line: readonly Span[] | undefined;
  /** The lead runs no more, nor does any teammate. */
  readonly hasEnded?: boolean;
}

/** By the names of the members that have recorded something since they joined. */
export type Activities = ReadonlyMap<string, Activity>;

/** Nothing where the history cannot be read. */
export async function activitiesIn(call: StorePlace, overview: Overview): Promise<Activities> {
  try {
    const team = await (await openStore(call)).openTeam(overview.team);
    const activities = activitiesAfter(overview, await historyOf(team), call.now());
    const { value: config } = (await team?.config()) ?? {};
    if (!config || activities.size === 0) return activities;
    const hasTurns = overview.members.some(
      ({ member, isLead }) => isLead && activities.get(member.name)?.state !== undefined,
    );
    const hasEnded = await isOver(call, { team: overview.team, config, hasTurns });
    return hasEnded ? new Map([...activities].map(([name, one]) => [name, { ...one, hasEnded }])) : activities;
  } catch {
    return new Map();
  }
}

/** Its turn is over, but what it waits for says more. */
const isAside = (event: TeamEvent | undefined, state: Activity["state"]): boolean =>
  state === "needs_input" && (event?.kind === "turn" || event?.kind === "idle");

/** What these events come to for the members of this team. */
export function activitiesAfter({ members }: Overview, events: readonly RecordedEvent[], now: Date): Activities {
  const byName = new Map(members.map(({ member }) => [member.name, member]));
  const doings = foldDoings();
  const models = new Map<string, string>();
  const activities = new Map<string, Activity>();
  /** Leads without a turn: a teammate says itself when it rests, they do not. */
  const resting = new Set<string>();
  const leads = new Set(members.flatMap(({ member, isLead }) => (isLead ? [member.name] : [])));
  for (const recorded of events) {
    const { by, at } = recorded;
    doings.take(recorded);
    const event = eventIn(recorded);
    if (event?.kind === "spawned" && byName.get(event.name)?.joinedAt === event.joinedAt)
      models.set(event.name, event.model);
    const member = byName.get(by);
    const doing = member && doings.of(member);
    if (!member || !(doing || at >= momentOf(member.joinedAt))) continue;
    const before = activities.get(by);
    if (event?.kind === "turn") resting[event.phase === "ended" && leads.has(by) ? "add" : "delete"](by);
    const state = doing && stateOf({ ...doing, isAtWork: doing.isAtWork && !resting.has(by) });
    const since = before && before.state === state ? before.since : at;
    const age = ageText(now.getTime() - Date.parse(since));
    activities.set(by, {
      state,
      since,
      age,
      model: undefined,
      line: (isAside(event, state) ? undefined : toldRecord(recorded).line?.slice(1)) ?? before?.line,
    });
  }
  // That it was started is recorded once it runs, which may be behind all that it has done.
  return new Map([...activities].map(([name, one]) => [name, { ...one, model: models.get(name) }]));
}
