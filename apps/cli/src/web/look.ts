import { setTimeout as delay } from "node:timers/promises";
import type { Orphan } from "@troupe/backends";
import { type Overview, overviewOf, type RecordedEvent, type Store, type Team, type TeamView } from "@troupe/store";
import type { StorePlace } from "../open.ts";
import { type Shown, waitingIn } from "../steer/requests.ts";
import { type Liveness, livenessOf, startedFor } from "../team/liveness.ts";
import { openHistories, withHistory } from "../watch/histories.ts";
import { inCommon } from "./in-common.ts";

/** All that is known of a team at one look. */
export interface LookedAt extends Liveness {
  readonly view: TeamView;
  readonly overview: Overview;
  readonly events: readonly RecordedEvent[];
  readonly requests: readonly Shown[];
  readonly started: readonly Orphan[];
}

/** So often, and with such rests, it is waited for what is being written. */
const [tries, restMs] = [8, 8];

/** Looks at teams again and again: what has not changed is not read again. */
export function openLook(place: StorePlace, store: Store) {
  const onlook = store.onlook();
  const histories = openHistories();

  /** A team whose config cannot be read has no history to open. */
  async function eventsOf(team: Team | undefined): Promise<readonly RecordedEvent[]> {
    return team ? histories(team).catch(() => []) : [];
  }

  async function lookInto(view: TeamView): Promise<LookedAt> {
    const [liveness, started, team] = await Promise.all([
      livenessOf(place, view),
      startedFor(place, view.team).catch(() => []),
      store.openTeam(view.team).catch(() => undefined),
    ]);
    const events = await eventsOf(team);
    const seen = team && {
      form: team.form,
      config: async () => ({ value: view.config, problems: [] }),
      mail: (name: string) => ({
        page: async () => ({ value: view.mail.find(({ agent }) => agent === name)?.messages ?? [], problems: [] }),
      }),
    };
    const requests = seen && liveness.isLive ? await waitingIn(place, withHistory(seen, events)) : [];
    return { view, overview: overviewOf(view), events, requests, started, ...liveness };
  }

  /** What is being written for longer than a moment is shown as it was; a hint follows then. */
  async function lookAt(name: string): Promise<LookedAt | undefined> {
    let seen = await onlook.team(name);
    for (let left = tries; left > 0 && !seen.isSettled; left -= 1) {
      await delay(restMs);
      seen = await onlook.team(name);
    }
    if (!seen.found) looks.delete(name);
    return seen.found && lookInto(seen.found);
  }

  /** Each page asks for several views of a team at once, and there may be many pages. */
  const looks = new Map<string, () => Promise<LookedAt | undefined>>();

  return {
    all: inCommon(async () => {
      const { found } = await onlook.all({ isPatient: true });
      const teams = await Promise.all(found.teams.map(lookInto));
      return { teams: teams.sort((a, b) => Number(b.isLive) - Number(a.isLive)), problems: found.problems };
    }),
    team(name: string): Promise<LookedAt | undefined> {
      const look = looks.get(name) ?? inCommon(() => lookAt(name));
      looks.set(name, look);
      return look();
    },
    /** False while something of the team is being written: look again soon. */
    isSettled: async (name: string) => (await onlook.team(name)).isSettled,
    events: async (name: string) => eventsOf(await store.openTeam(name).catch(() => undefined)),
  };
}
