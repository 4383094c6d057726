import { resolve } from "node:path";
import type { Team } from "@troupe/store";
import { definitionsFrom } from "../agents/definitions.ts";
import { type Arg, type Call, type Command, type Completion, globalOptions, teamArg } from "../command.ts";
import { openStore } from "../open.ts";
import { printable } from "../visible.ts";
import { usualTeam } from "../which-team.ts";
import type { Word } from "./choices.ts";

type Names = readonly Word[];

/** The names that can follow these words of a command line; none where nothing is known. */
export async function namesAfter(call: Call, line: readonly string[]): Promise<Names> {
  try {
    return await namesIn(call, line);
  } catch {
    return [];
  }
}

async function namesIn(call: Call, line: readonly string[]): Promise<Names> {
  const { words, given, pending } = readLine(call.commands, line);
  const { root = call.root, store: TROUPE_STORE = call.environment["TROUPE_STORE"] } = given;
  const environment = { ...call.environment, TROUPE_STORE };
  const place = { ...call, root: resolve(call.cwd, root), environment, note: () => {} };
  const command = call.commands.find(({ name }) => words.slice(0, name.split(" ").length).join(" ") === name);
  if (!command) return [];
  const behind = words.slice(command.name.split(" ").length);
  const store = await openStore(place);
  const teams = await store.listTeams();
  const first = behind[0] ?? "";
  const begun = teams.filter((name) => name.startsWith(first) && first !== "");
  const named = teams.includes(first) ? first : begun.length === 1 ? begun[0] : undefined;
  const mayBeLeftOut = command.args[0] === teamArg;
  const team = async () => {
    const name = named ?? (mayBeLeftOut ? await usualTeam(place, store, teams) : undefined);
    return name === undefined ? undefined : store.openTeam(name);
  };
  const offer = async (completes: Completion | undefined): Promise<Names> => {
    if (completes === "team") return teams.map((name) => [name, ""]);
    if (completes === "agent") return agentsIn(place);
    return completes === "member" || completes === "task" ? namesOf(await team(), completes) : [];
  };
  if (pending !== undefined) return offer(optionsOf(command)[pending]?.completes);
  const here = (at: number): Arg | undefined => command.args[at];
  const isShifted = mayBeLeftOut && named === undefined;
  if (behind.length > 0) return offer(here(behind.length + (isShifted ? 1 : 0))?.completes);
  const second = isShifted ? await offer(here(1)?.completes).catch(() => []) : [];
  return [...(await offer(here(0)?.completes)), ...second];
}

const optionsOf = ({ options }: Command): Command["options"] => ({ ...options, ...globalOptions });

/**
 * The words without options, where teams are as options name it, and an option whose value is
 * missing.
 */
function readLine(commands: readonly Command[], line: readonly string[]) {
  const all = Object.assign({}, ...commands.map(optionsOf)) as Command["options"];
  const words: string[] = [];
  const given: { root?: string; store?: string } = {};
  let pending: string | undefined;
  for (const word of line) {
    const [, name = "", value] = /^--([\w-]+)(?:=(.*))?$/.exec(word) ?? [];
    if (pending !== undefined) {
      if (pending === "root" || pending === "store") given[pending] = word;
      pending = undefined;
    } else if (name !== "") {
      if ((name === "root" || name === "store") && value !== undefined) given[name] = value;
      else if (value === undefined && all[name]?.value !== undefined) pending = name;
    } else if (!word.startsWith("-")) words.push(word);
  }
  return { words, given, pending };
}

async function namesOf(team: Team | undefined, kind: "member" | "task"): Promise<Names> {
  if (!team) return [];
  if (kind === "task")
    return (await team.tasks.list()).tasks.map(({ id, status, subject = "" }) => [
      id,
      oneLine(`${status}: ${subject}`),
    ]);
  const { members = [] } = (await team.config()).value ?? {};
  return members.map(({ name, agentType = "" }) => [name, oneLine(agentType)]);
}

const agentsIn = (place: Pick<Call, "root" | "cwd">): Names =>
  definitionsFrom(place).flatMap(({ isUsed, definition }) =>
    isUsed && definition ? [[definition.name, oneLine(definition.description ?? "")] as const] : [],
  );

/** Names and subjects are written by models: a line of its own is all that one gets. */
const oneLine = (text: string): string => printable(text.replaceAll(/\s+/g, " ")).slice(0, 80);
