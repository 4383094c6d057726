import type { Overview, RecordedEvent } from "@troupe/store";
import { eventIn, foldDoings, momentOf, stateOf } from "@troupe/team";
import { ageText } from "../age.ts";
import type { Call } from "../command.ts";
import { openStore } from "../open.ts";
import type { Span } from "../paint.ts";
import { historyOf } from "../watch/history.ts";
import { toldRecord } from "../watch/recorded.ts";

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
}

/** By the names of the members that have recorded something since they joined. */
export type Activities = ReadonlyMap<string, Activity>;

/** Nothing where the history cannot be read. */
export async function activitiesIn(call: Pick<Call, "root" | "now">, overview: Overview): Promise<Activities> {
  try {
    const team = await openStore(call).openTeam(overview.team);
    return activitiesAfter(overview, await historyOf(team), call.now());
  } catch {
    return new Map();
  }
}

/** What these events come to for the members of this team. */
export function activitiesAfter({ members }: Overview, events: readonly RecordedEvent[], now: Date): Activities {
  const byName = new Map(members.map(({ member }) => [member.name, member]));
  const doings = foldDoings();
  const models = new Map<string, string>();
  const activities = new Map<string, Activity>();
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
    const state = doing && stateOf(doing);
    const since = before && before.state === state ? before.since : at;
    const age = ageText(now.getTime() - Date.parse(since));
    activities.set(by, {
      state,
      since,
      age,
      model: undefined,
      line: toldRecord(recorded).line?.slice(1) ?? before?.line,
    });
  }
  // That it was started is recorded once it runs, which may be behind all that it has done.
  return new Map([...activities].map(([name, one]) => [name, { ...one, model: models.get(name) }]));
}
