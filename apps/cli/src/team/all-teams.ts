import { type LocatedProblem, type Overview, overviewOf, type TaskView } from "@troupe/store";
import { openStore, type StorePlace } from "../open.ts";
import { type Liveness, livenessOf } from "./liveness.ts";

/** All that lies below a root, with the live teams before the others. */
export interface AllTeams {
  readonly teams: readonly (Liveness & { readonly overview: Overview })[];
  readonly lists: readonly TaskView[];
  readonly problems: readonly LocatedProblem[];
}

export async function readAllTeams(call: StorePlace): Promise<AllTeams> {
  const { found } = await (await openStore(call)).onlook().all({ isPatient: true });
  const looked = found.teams.map(async (view) => ({ overview: overviewOf(view), ...(await livenessOf(call, view)) }));
  const teams = await Promise.all(looked);
  return { ...found, teams: teams.sort((a, b) => Number(b.isLive) - Number(a.isLive)) };
}

/**
 * The teams that are shown: all of them if that was asked for or none is live, else the live ones.
 */
export function unfolded({ teams }: AllTeams, all: boolean): { shown: AllTeams["teams"]; folded: AllTeams["teams"] } {
  const isShown = ({ isLive }: Liveness) => all || isLive || !teams.some((one) => one.isLive);
  return { shown: teams.filter(isShown), folded: teams.filter((one) => !isShown(one)) };
}
