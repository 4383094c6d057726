import { memberName, nameKey, TroupeError } from "@troupe/protocol";
import type { Store, Team } from "@troupe/store";
import { type Call, type Command, teamArg } from "./command.ts";
import { openStore, type StorePlace, unknownTeam } from "./open.ts";
import { argsFrom } from "./read-call.ts";
import { chosenStore } from "./store-choice.ts";
import { findLiveTeams } from "./team/liveness.ts";
import { usageOf } from "./usage.ts";

export interface Asked {
  readonly command: Command;
  /** The arguments as they were given. */
  readonly words: readonly string[];
  readonly args: object;
  readonly options: object;
}

type Named = Pick<Asked, "args" | "options">;
export type Place = StorePlace & Pick<Call, "note">;

/**
 * The arguments and options of a command with whole names: of the team that was left out or only
 * begun, and of members that were only begun. What a command removes is never guessed.
 */
export async function namesFor(place: Place, { command, words, args, options }: Asked): Promise<Named> {
  if (command.args[0] !== teamArg) return { args, options };
  const harm = Object.keys(options).find((name) => command.options[name]?.isDestructive);
  if (harm !== undefined && teamIn(args) !== undefined) return { args, options };
  if (harm !== undefined) {
    const message = `--${harm} is never done to a team that is only guessed: write its whole name, ${usageOf(command)}`;
    throw new TroupeError("arguments_invalid", message);
  }
  const store = await openStore(place);
  const teams = await store.listTeams();
  const named = { args: await withTeam(place, { store, teams, command, words, args, options }), options };
  const name = teamIn(named.args);
  if (name === undefined || !teams.includes(name) || !hasMember(command, named)) return named;
  const team = await store.openTeam(name).catch(() => undefined);
  return team ? withMembers(team, command, named) : named;
}

const teamIn = (args: object): string | undefined => (args as { readonly team?: string }).team;

interface Choosing extends Asked {
  readonly store: Store;
  readonly teams: readonly string[];
}

async function withTeam(place: Place, choosing: Choosing): Promise<object> {
  const { store, teams, command, words, args, options } = choosing;
  const given = teamIn(args);
  const own = new Map(Object.entries(options));
  const asked = command.args.filter(({ unless }) => unless === undefined || !own.has(unless));
  const leftOut = async (note = place.note) =>
    argsFrom(command, [await usualTeam({ ...place, note }, store, teams), ...words], own);
  if (given === undefined) {
    const missing = asked.findLast(({ isOptional }) => !isOptional);
    // A first word that names a team is that, and what is missing stands behind it.
    if (missing && teams.includes(words[0] ?? ""))
      throw new TroupeError("arguments_invalid", `${command.name} needs <${missing.name}>: ${usageOf(command)}`);
    return leftOut();
  }
  const whole = await teamCalled(place, store, teams, given, command);
  if (whole !== undefined) return { ...args, team: whole };
  const next = asked[words.length];
  const isOfNext =
    next?.completes === "task" ? /^#?\d+$/.test(given) : next?.completes === "member" && teams.length > 0;
  if (!isOfNext) return args;
  if (next?.completes === "task") return leftOut();
  // What is no member of the usual team was meant as a team: then nothing is said of the usual one.
  const said: string[] = [];
  const named = await leftOut((text) => void said.push(text)).catch(() => undefined);
  if (!named || !(await isMemberIn(store, named, given))) return unknownTeam(place, given, teams);
  for (const text of said) place.note(text);
  return named;
}

async function isMemberIn(store: Store, args: object, word: string): Promise<boolean> {
  const team = await store.openTeam(teamIn(args) ?? "").catch(() => undefined);
  return team !== undefined && (await memberCalled(team, word)) !== undefined;
}

/** The team of this name, or the only one whose name begins so; a list of tasks keeps its name. */
async function teamCalled(
  place: Place,
  store: Store,
  teams: readonly string[],
  word: string,
  command: Pick<Command, "name">,
): Promise<string | undefined> {
  if (teams.includes(word)) return word;
  const begun = /^#?\d+$/.test(word) || word === "" ? [] : teams.filter((name) => name.startsWith(word));
  if (begun.length === 0) return undefined;
  const isList = command.name.startsWith("task ") && (await store.onlook().list(word)).found !== undefined;
  if (isList) return word;
  if (begun.length === 1) return begun[0];
  const message = `${word} begins the names of ${begun.join(", ")} under ${chosenStore(place).name}: write more of it`;
  throw new TroupeError("team_unknown", message, { name: word, names: begun });
}

/** The whole name of a team that is only begun, or of the one that is meant where none is named. */
export async function wholeName(place: Place, word: string | undefined): Promise<string> {
  const store = await openStore(place);
  const teams = await store.listTeams();
  if (word === undefined) return usualTeam(place, store, teams);
  return (await teamCalled(place, store, teams, word, { name: "watch" })) ?? word;
}

/** The team that is meant where none is named; says which where there was a choice. */
export async function usualTeam(place: Place, store: Store, teams: readonly string[]): Promise<string> {
  const { environment, note } = place;
  const { name: root } = chosenStore(place);
  const wished = environment["TROUPE_TEAM"];
  if (wished) {
    if (teams.includes(wished)) return wished;
    const message = `TROUPE_TEAM names ${JSON.stringify(wished)}, and there is no such team under ${root}: unset it, or name one of ${teams.join(", ") || "none"}`;
    throw new TroupeError("team_unknown", message, { name: wished });
  }
  const [only, ...others] = teams;
  if (only === undefined)
    throw new TroupeError("team_unknown", `there is no team under ${root}: troupe team create creates one`, { root });
  if (others.length === 0) return only;
  const [newest, ...rest] = await findLiveTeams(place, store);
  if (newest === undefined) {
    const message = `none of the ${teams.length} teams under ${root} is live, so none is chosen: name one of ${teams.join(", ")}`;
    throw new TroupeError("arguments_invalid", message, { teams });
  }
  const among = rest.length === 0 ? "the only live one" : `the newest of ${rest.length + 1} live ones`;
  note(`the team is ${newest}, ${among}; name another, or set TROUPE_TEAM`);
  return newest;
}

/** Which arguments and options of a command name a member. */
const memberFields = (command: Command) => ({
  args: (name: string) => command.args.some((arg) => arg.name === name && arg.completes === "member"),
  options: (name: string) => command.options[name]?.completes === "member",
});

/** Whether one is given: only then the team is opened, for which all its inboxes are read. */
function hasMember(command: Command, { args, options }: Named): boolean {
  const isMember = memberFields(command);
  const isGiven = (values: object, isOne: (name: string) => boolean) =>
    Object.entries(values).some(([name, value]) => typeof value === "string" && isOne(name));
  return isGiven(args, isMember.args) || isGiven(options, isMember.options);
}

/** Whole names for the members that an argument or an option only begins. */
async function withMembers(team: Team, command: Command, { args, options }: Named): Promise<Named> {
  const fill = async (values: object, isMember: (name: string) => boolean) => {
    const filled = Object.entries(values).map(async ([name, value]) => {
      if (typeof value !== "string" || !isMember(name)) return [name, value] as const;
      return [name, (await memberCalled(team, value)) ?? value] as const;
    });
    return Object.fromEntries(await Promise.all(filled));
  };
  const isMember = memberFields(command);
  return { args: await fill(args, isMember.args), options: await fill(options, isMember.options) };
}

/** The member or the inbox of this name, else the only member whose name begins so. */
async function memberCalled(team: Team, word: string): Promise<string | undefined> {
  const names = ((await team.config()).value?.members ?? []).map(({ name }) => name);
  const same = names.find((name) => nameKey(name) === nameKey(word));
  if (same !== undefined) return same;
  if (await hasInbox(team, word)) return word;
  const begun = names.filter((name) => word !== "" && nameKey(name).startsWith(nameKey(word)));
  if (begun.length < 2) return begun[0];
  const message = `${word} begins the names of ${begun.join(", ")} in ${team.name}: write more of it`;
  throw new TroupeError("member_unknown", message, { name: word, names: begun });
}

async function hasInbox(team: Team, word: string): Promise<boolean> {
  try {
    return ((await team.mail(memberName(word)).page({ limit: 1 })).value ?? []).length > 0;
  } catch {
    return false;
  }
}
