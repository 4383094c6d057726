import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { relative } from "node:path";
import {
  backendOf,
  byId,
  codecFor,
  detectForm,
  type Form,
  type InboxEntry,
  inboxOwnerOf,
  isInternal,
  isTeamName,
  isUnread,
  layoutOf,
  leadOf,
  type Member,
  openBlockersOf,
  type Problem,
  type Task,
  type TeamLayout,
  taskIdOf,
} from "@troupe/protocol";

/** What is in an inbox, and how much of it is not yet taken. */
interface Mail {
  readonly agent: string;
  readonly unread: number;
  readonly entries: readonly InboxEntry[];
}

/** One team, as its files show it. */
export interface Overview {
  readonly team: string;
  /** Undefined when the config cannot tell. */
  readonly form: Form | undefined;
  readonly description: string | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number | undefined;
  readonly members: readonly {
    readonly member: Member;
    readonly isLead: boolean;
    readonly backend: string | undefined;
  }[];
  readonly mail: readonly Mail[];
  readonly tasks: readonly { readonly task: Task; readonly openBlockers: readonly string[] }[];
  /** What is wrong, and in which file. */
  readonly problems: readonly LocatedProblem[];
}

/** A problem, and the file it is in, below the root. */
export interface LocatedProblem extends Problem {
  readonly file: string;
}

/** All that a root holds. */
export interface RootOverview {
  readonly teams: readonly Overview[];
  /** What stands among the teams and is none. */
  readonly problems: readonly LocatedProblem[];
}

/** One team; undefined where there is none. */
export function readTeam(root: string, name: string): Overview | undefined {
  const paths = layoutOf(root).team(name);
  return list(paths.directory).names.includes("config.json") ? readOverview(root, name, paths) : undefined;
}

/** Every team under a root, by name. Takes no lock and writes nothing; what cannot be read hides nothing else. */
export function readRoot(root: string): RootOverview {
  const layout = layoutOf(root);
  const problems: LocatedProblem[] = [];
  const teams: Overview[] = [];
  const found = list(layout.teams);
  if (found.problem) problems.push({ ...found.problem, file: "teams" });
  for (const name of found.names) {
    const path = `${layout.teams}/${name}`;
    const inside = list(path);
    if (isTeamName(name) && inside.names.includes("config.json"))
      teams.push(readOverview(root, name, layout.team(name)));
    else if (inside.problem) problems.push({ ...inside.problem, file: `teams/${name}` });
    else if (!isTeamName(name) && inside.names.includes("config.json") && !name.includes(".deleted-"))
      problems.push({ ...unnameable, file: `teams/${name}` });
  }
  return { teams, problems };
}

const about = (message: string, fix: string): Problem => ({ path: "", code: "document_malformed", message, fix });
const unnameable = about("its name names no team or agent", "rename it: letters, digits, - and _, single dots");

function readOverview(root: string, name: string, paths: TeamLayout): Overview {
  const problems: LocatedProblem[] = [];
  const note = (path: string, found: readonly Problem[]) => {
    for (const problem of found) problems.push({ ...problem, file: relative(root, path) });
  };
  /** The text of a file, or nothing and a problem. */
  const read = (path: string): Uint8Array | undefined => {
    const text = readRegular(path);
    if (text instanceof Uint8Array) return text;
    note(path, [text]);
    return undefined;
  };
  const namesIn = (directory: string): readonly string[] => {
    const found = list(directory);
    if (found.problem) note(directory, [found.problem]);
    return found.names;
  };

  const config = read(paths.config);
  const inboxes = namesIn(paths.inboxes).flatMap((file) => {
    const agent = inboxOwnerOf(file);
    if (agent === undefined && file.endsWith(".json")) note(`${paths.inboxes}/${file}`, [unnameable]);
    const bytes = agent === undefined ? undefined : read(paths.inbox(agent));
    return agent === undefined || bytes === undefined ? [] : [{ agent, bytes }];
  });
  const form =
    config &&
    detectForm(
      config,
      inboxes.map(({ bytes }) => bytes),
    );
  const codec = codecFor(form ?? "between");

  const team = config && codec.readTeam(config, name);
  note(paths.config, team?.problems ?? []);
  const mail = inboxes.map(({ agent, bytes }) => {
    const inbox = codec.readInbox(bytes);
    note(paths.inbox(agent), inbox.problems);
    return { agent, unread: inbox.entries.filter(isUnread).length, entries: inbox.entries };
  });
  const unreadable: string[] = [];
  const tasks = namesIn(paths.tasks).flatMap((file) => {
    const id = taskIdOf(file);
    const bytes = id === undefined ? undefined : read(paths.task(id));
    const task = id === undefined || bytes === undefined ? undefined : codec.readTask(bytes, id);
    if (id === undefined) return [];
    note(paths.task(id), task?.problems ?? []);
    if (!task?.value) unreadable.push(id);
    return task?.value ? [task.value] : [];
  });

  const lead = team?.value && leadOf(team.value);
  const openBlockers = openBlockersOf(tasks, unreadable);
  return {
    team: name,
    form,
    description: team?.value?.description,
    createdAt: team?.value?.createdAt,
    members: (team?.value?.members ?? []).map((member) => ({
      member,
      isLead: member === lead,
      backend: backendOf(member),
    })),
    mail,
    tasks: tasks
      .filter((task) => task.status !== "deleted" && !isInternal(task))
      .sort(byId)
      .map((task) => ({ task, openBlockers: openBlockers.get(task.id) ?? [] })),
    problems,
  };
}

/** The names in a directory, in order; none where there is no directory. */
function list(directory: string): { names: readonly string[]; problem?: Problem } {
  try {
    return { names: readdirSync(directory).sort() };
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code === "ENOENT" && !lstatSync(directory, { throwIfNoEntry: false })) return { names: [] };
    const message = code === "ENOTDIR" ? "this is no directory" : reason(error);
    return { names: [], problem: about(message, "put a directory in its place that you may read, or remove it") };
  }
}

/** A file's bytes. What is no regular file is not opened: a pipe would wait for a writer for ever. */
function readRegular(path: string): Uint8Array | Problem {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return about("there is no such file", "restore it, or remove what refers to it");
    if (!found.isFile()) return about("this is no regular file", "put a file in its place");
    if (found.size > maxBytes) return about(`it has ${found.size} bytes, more than ${maxBytes}`, "move it aside");
    return readFileSync(path);
  } catch (error) {
    return about(reason(error), "make the file readable");
  }
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Larger files are no inbox, team or task of anybody. */
const maxBytes = 64 * 1024 * 1024;
