import { isTroupeError, leadName, leadOf, TroupeError } from "@troupe/protocol";
import { type Overview, type Participant, readOverview, type Tasks, type TaskView, type Team } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import type { Call, OpenStore } from "./command.ts";
import { hint } from "./nearest.ts";
import { chosenStore, filesWord, type StoreChoice } from "./store-choice.ts";

/** What tells where teams are kept. */
export type StorePlace = Pick<Call, "root" | "now" | "environment" | "stores">;

/** Opens the store that was chosen, once in a run of the command. */
export function openStore(place: StorePlace): Promise<OpenStore> {
  const { stores } = place;
  const choice = chosenStore(place);
  const key = choice.url ?? choice.name;
  const before = stores.get(key);
  if (before) return before;
  const opening = opened(place, choice);
  stores.set(key, opening);
  // What could not be opened is tried again by the next that asks.
  opening.catch(() => stores.delete(key));
  return opening;
}

async function opened({ root, now }: StorePlace, { url, name }: StoreChoice): Promise<OpenStore> {
  if (url === undefined) return openFileStore({ root, now });
  const { openPostgresStore } = await import("@troupe/store-postgres");
  return openPostgresStore({ url }).catch((error: unknown) => {
    if (!isTroupeError(error) || error.details?.["needed"] === undefined) throw error;
    const message = `${name} has no tables of this version of troupe yet: troupe store migrate creates them`;
    throw new TroupeError("store_refused", message, error.details, error);
  });
}

/** The same call for the files of another directory. */
export const filesIn = <Place extends StorePlace>(place: Place, root: string): Place => ({
  ...place,
  root,
  environment: { ...place.environment, TROUPE_STORE: filesWord },
});

/** Opens a team for changes. Throws `team_unknown`, which suggests the nearest name. */
export async function openTeam(call: StorePlace, name: string): Promise<Team> {
  const store = await openStore(call);
  return (await store.openTeam(name)) ?? unknownTeam(call, name, await store.listTeams());
}

/** Reads a team without a lock, as far as it is readable. Throws `team_unknown`. */
export async function lookAt(call: StorePlace, name: string): Promise<Overview> {
  const store = await openStore(call);
  return (await readOverview(store, name)) ?? unknownTeam(call, name, await store.listTeams());
}

/** Reads the tasks of a team or, without one, the task list of that name. Throws `team_unknown`. */
export async function lookAtTasks(call: StorePlace, name: string): Promise<TaskView | Overview> {
  const store = await openStore(call);
  const list = async () => (await store.onlook().list(name, { isPatient: true })).found;
  return (await readOverview(store, name)) ?? (await list()) ?? (await lookAt(call, name));
}

/** A task list to change, and its team if there is one. */
interface OpenTasks {
  readonly name: string;
  readonly tasks: Tasks;
  readonly team: Team | undefined;
}

/** Opens a task list for changes, as the named member if one is given. */
export async function openTasks(call: StorePlace, name: string, as?: string): Promise<OpenTasks> {
  const store = await openStore(call);
  const found = await store.openTeam(name);
  if (!found && (await store.onlook().list(name)).found)
    return { name, tasks: store.tasksOfSession(name), team: undefined };
  const team = found ?? (await openTeam(call, name));
  return { name, tasks: as === undefined ? team.tasks : (await actor(team, as)).tasks, team };
}

/** Returns the member that acts: the named one, else the lead. */
export async function actorName(team: Team | undefined, as: string | undefined): Promise<string> {
  const { value } = (await team?.config()) ?? {};
  return as ?? (value && leadOf(value)?.name) ?? leadName;
}

/** Returns the member that acts. Throws `member_unknown`. */
export const actor = async (team: Team, as: string | undefined): Promise<Participant> =>
  team.as(await actorName(team, as));

/** Reads an id as people write it, `#3` or `3`. */
export const taskIdFrom = (word: string): string => word.replace(/^#/, "");

/** Checks the id that an option gives a session. */
export function sessionIdGiven(option: string, id: string | undefined): string | undefined {
  if (id === undefined || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return id;
  throw new TroupeError("arguments_invalid", `--${option} takes a UUID, not ${JSON.stringify(id)}`);
}

/** Throws the error for a member of whom nothing is known, which suggests those that there are. */
export function unknownMember(team: string, name: string, names: readonly (string | undefined)[]): never {
  const known = [...new Set(names.filter((one) => one !== undefined))].join(", ");
  const next = known ? `choose one of ${known}` : `troupe show ${team} shows what can be read`;
  throw new TroupeError("member_unknown", `there is no ${name} in ${team}: ${next}`, { name });
}

/** Throws the error for a task that does not exist. */
export function unknownTask(team: string, id: string): never {
  throw new TroupeError("task_unknown", `there is no task ${id}: troupe task list ${team} shows their ids`, { id });
}

/** Throws the error for a team that does not exist. */
export function unknownTeam(place: StorePlace, name: string, names: readonly string[]): never {
  const { name: where } = chosenStore(place);
  const message = `there is no team ${name} under ${where}${hint(name, names) || ";"} troupe team list shows all teams`;
  throw new TroupeError("team_unknown", message, { name, root: where });
}
