import { readdirSync, readFileSync } from "node:fs";
import { basename, relative } from "node:path";
import {
  backendOf,
  byId,
  codecFor,
  detectForm,
  type Form,
  isInternal,
  isTeamName,
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
  readonly form: Form;
  readonly description: string | undefined;
  readonly members: readonly {
    readonly member: Member;
    readonly isLead: boolean;
    readonly backend: string | undefined;
  }[];
  readonly mail: readonly Mail[];
  readonly tasks: readonly { readonly task: Task; readonly openBlockers: readonly string[] }[];
  /** What is wrong, and in which file. */
  readonly problems: readonly (Problem & { readonly file: string })[];
}

/** Every team under a root, by name. Takes no lock and writes nothing. */
export function readOverviews(root: string): Overview[] {
  const layout = layoutOf(root);
  return list(layout.teams)
    .filter(isTeamName)
    .sort()
    .map((name) => readOverview(root, name, layout.team(name)));
}

function readOverview(root: string, name: string, paths: TeamLayout): Overview {
  const problems: (Problem & { file: string })[] = [];
  const note = (path: string, found: readonly Problem[]) => {
    for (const problem of found) problems.push({ ...problem, file: relative(root, path) });
  };

  const config = read(paths.config);
  const inboxes = list(paths.inboxes)
    .filter((file) => file.endsWith(".json"))
    .map((file) => ({ agent: basename(file, ".json"), path: `${paths.inboxes}/${file}` }))
    .map((inbox) => ({ ...inbox, bytes: read(inbox.path) }));
  const form = detectForm(
    readJson(config).value,
    inboxes.map(({ bytes }) => readJson(bytes).value),
  );
  const codec = codecFor(form);

  const team = codec.readTeam(config, name);
  note(paths.config, team.problems);
  const mail = inboxes.map(({ agent, path, bytes }) => {
    const inbox = codec.readInbox(bytes);
    note(path, inbox.problems);
    return { agent, unread: inbox.entries.filter((entry) => entry.read !== true).length };
  });
  const tasks = list(paths.tasks).flatMap((file) => {
    const id = taskIdOf(file);
    if (id === undefined) return [];
    const task = codec.readTask(read(paths.task(id)), id);
    note(paths.task(id), task.problems);
    return task.value === undefined || task.value.status === "deleted" || isInternal(task.value) ? [] : [task.value];
  });

  const lead = team.value && leadOf(team.value);
  const openBlockers = openBlockersOf(tasks);
  return {
    team: name,
    form,
    description: team.value?.description,
    members: (team.value?.members ?? []).map((member) => ({
      member,
      isLead: member === lead,
      backend: backendOf(member),
    })),
    mail,
    tasks: tasks.sort(byId).map((task) => ({ task, openBlockers: openBlockers.get(task.id) ?? [] })),
    problems,
  };
}

/** The names in a directory; none where there is no directory. */
function list(directory: string): string[] {
  return orElse(() => readdirSync(directory), []);
}

/** A file's bytes; none where there is no file, which the reader then reports. */
function read(path: string): Uint8Array {
  return orElse<Uint8Array>(() => readFileSync(path), new Uint8Array());
}

function orElse<T>(attempt: () => T, absent: T): T {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR"))
      return absent;
    throw error;
  }
}
