import { readdirSync, readFileSync, statSync } from "node:fs";
import { relative } from "node:path";
import {
  backendOf,
  byId,
  codecFor,
  detectForm,
  type Form,
  inboxOwnerOf,
  isInternal,
  isTeamName,
  isUnread,
  layoutOf,
  leadOf,
  type Member,
  openBlockersOf,
  type Problem,
  readJson,
  type Task,
  type TeamLayout,
  taskIdOf,
} from "@troupe/protocol";

/** What is in an inbox and not yet taken. */
interface Mail {
  readonly agent: string;
  readonly unread: number;
}

/** One team, as its files show it. */
export interface Overview {
  readonly team: string;
  /** Undefined when the config cannot tell. */
  readonly form: Form | undefined;
  readonly description: string | undefined;
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

interface LocatedProblem extends Problem {
  readonly file: string;
}

/** Every team under a root, by name. Takes no lock and writes nothing. */
export function readOverviews(root: string): Overview[] {
  const layout = layoutOf(root);
  return list(layout.teams)
    .filter((name) => isTeamName(name) && statSync(layout.team(name).directory).isDirectory())
    .sort()
    .map((name) => readOverview(root, name, layout.team(name)));
}

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

  const config = read(paths.config);
  const inboxes = list(paths.inboxes).flatMap((file) => {
    const agent = inboxOwnerOf(file);
    const bytes = agent === undefined ? undefined : read(paths.inbox(agent));
    return agent === undefined || bytes === undefined ? [] : [{ agent, bytes }];
  });
  const form =
    config &&
    detectForm(
      readJson(config).value,
      inboxes.map(({ bytes }) => readJson(bytes).value),
    );
  const codec = codecFor(form ?? "between");

  const team = config && codec.readTeam(config, name);
  note(paths.config, team?.problems ?? []);
  const mail = inboxes.map(({ agent, bytes }) => {
    const inbox = codec.readInbox(bytes);
    note(paths.inbox(agent), inbox.problems);
    return { agent, unread: inbox.entries.filter(isUnread).length };
  });
  const unreadable: string[] = [];
  const tasks = list(paths.tasks).flatMap((file) => {
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

/** The names in a directory; none where there is no directory. */
function list(directory: string): string[] {
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(directory) : [];
}

/** A file's bytes. What is no regular file is not opened: a pipe would wait for a writer for ever. */
function readRegular(path: string): Uint8Array | Problem {
  const about = (message: string, fix: string): Problem => ({ path: "", code: "document_malformed", message, fix });
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return about("there is no such file", "restore it, or remove what refers to it");
    return found.isFile() ? readFileSync(path) : about("this is no regular file", "put a file in its place");
  } catch (error) {
    return about(error instanceof Error ? error.message : String(error), "make the file readable");
  }
}
