import { leadName, leadOf, TroupeError } from "@troupe/protocol";
import { openFileStore, type Participant, type Store, type Team } from "@troupe/store";
import type { Call } from "./command.ts";
import { hint } from "./nearest.ts";
import { type Overview, readTeam } from "./team/overview.ts";

/** The store below the root that was asked for. */
export const openStore = ({ root, now }: Pick<Call, "root" | "now">): Store => openFileStore({ root, now });

/** The team, to change it. Throws `team_unknown`, which names the one that may have been meant. */
export async function openTeam(call: Pick<Call, "root" | "now">, name: string): Promise<Team> {
  const store = openStore(call);
  return (await store.openTeam(name)) ?? unknownTeam(call.root, name, await store.listTeams());
}

/** The team, to look at it: taking no lock, and as far as it can be read. Throws as `openTeam` does. */
export async function lookAt(call: Pick<Call, "root" | "now">, name: string): Promise<Overview> {
  return readTeam(call.root, name) ?? unknownTeam(call.root, name, await openStore(call).listTeams());
}

/** Whoever acts: the member that is named, else the lead. */
export async function actorName(team: Team, as: string | undefined): Promise<string> {
  const { value } = await team.config();
  return as ?? (value && leadOf(value)?.name) ?? leadName;
}

/** A member that acts. Throws `member_unknown`. */
export const actor = async (team: Team, as: string | undefined): Promise<Participant> =>
  team.as(await actorName(team, as));

/** The id as people write it, `#3` or `3`. */
export const taskIdFrom = (word: string): string => word.replace(/^#/, "");

/** Ends what asks for a task that is not there. */
export function unknownTask(team: string, id: string): never {
  throw new TroupeError("task_unknown", `there is no task ${id}: troupe task list ${team} shows their ids`, { id });
}

function unknownTeam(root: string, name: string, names: readonly string[]): never {
  const message = `there is no team ${name} under ${root}${hint(name, names) || ";"} troupe team list shows who is there`;
  throw new TroupeError("team_unknown", message, { name, root });
}
