import { join, relative } from "node:path";
import {
  byId,
  codecFor,
  detectForm,
  type Form,
  inboxOwnerOf,
  isInternal,
  isTeamName,
  layoutOf,
  openBlockersOf,
  type Problem,
  type TeamLayout,
  taskIdOf,
} from "@troupe/protocol";
import { messagesIn } from "@troupe/protocol/rules";
import type { LocatedProblem, LookOptions, Onlook, RootView, Seen, TaskView, TeamView } from "../store.ts";
import { lookAt } from "./directory.ts";
import { isYoung } from "./document.ts";
import { type Looked, type Onlooker, openOnlooker } from "./onlooker.ts";

/** Looks at the files of teams. */
export function onlookAt(root: string): Onlook {
  const layout = layoutOf(root);
  const onlooker = openOnlooker();
  const parsed = { team: remembering(), inbox: remembering(), task: remembering(), form: remembering() };

  async function seen<T>(work: () => T, { isPatient = false }: LookOptions = {}): Promise<Seen<T>> {
    const { found, unsettled } = isPatient ? await onlooker.settle(work) : onlooker.glance(work);
    return { found, isSettled: unsettled.length === 0 };
  }

  function team(name: string): TeamView | undefined {
    onlooker.names(layout.teams);
    const { directory } = layout.team(name);
    return hasConfig(directory) || isYoung(directory) ? readView(name) : undefined;
  }

  const hasConfig = (directory: string) => namesOf(onlooker, directory).names.includes("config.json");

  function list(name: string): TaskView | undefined {
    const paths = layout.team(name);
    if (hasConfig(paths.directory) || !namesOf(onlooker, layout.taskLists).names.includes(name)) return undefined;
    const notes = openNotes();
    return { team: name, ...readTasks(paths, "2026-11", notes), problems: notes.problems };
  }

  function all(): RootView {
    const problems: LocatedProblem[] = [];
    const teams: TeamView[] = [];
    const [found, listed] = [namesOf(onlooker, layout.teams), namesOf(onlooker, layout.taskLists)];
    if (found.problem) problems.push({ ...found.problem, file: "teams" });
    if (listed.problem) problems.push({ ...listed.problem, file: "tasks" });
    for (const name of found.names) {
      const inside = namesOf(onlooker, join(layout.teams, name));
      const isTeam = inside.names.includes("config.json");
      // Other clients remove and recreate a config, which changes its directory.
      if (isTeamName(name) && (isTeam || (!inside.problem && isYoung(join(layout.teams, name)))))
        teams.push(...[readView(name) ?? []].flat());
      else if (inside.problem) problems.push({ ...inside.problem, file: `teams/${name}` });
      else if (!isTeamName(name) && isTeam && !name.includes(".deleted-"))
        problems.push({ ...unnameable, file: `teams/${name}` });
    }
    const lists = listed.names.filter(isTeamName).flatMap((name) => list(name) ?? []);
    return { teams, lists: lists.filter((one) => one.tasks.length + one.problems.length > 0), problems };
  }

  function openNotes() {
    const problems: LocatedProblem[] = [];
    const note = (path: string, found: readonly Problem[]) => {
      for (const problem of found) problems.push({ ...problem, file: relative(root, path) });
    };
    const read = (path: string, isSound?: (bytes: Uint8Array) => boolean): Looked | undefined => {
      const looked = onlooker.look(path, isSound);
      note(path, looked?.problems ?? []);
      return looked;
    };
    const namesIn = (directory: string): readonly string[] => {
      const { names, problem } = namesOf(onlooker, directory);
      if (problem) note(directory, [problem]);
      return names;
    };
    return { problems, note, read, namesIn };
  }
  type Notes = ReturnType<typeof openNotes>;

  function readTasks(
    paths: TeamLayout,
    form: Form,
    { note, read, namesIn }: Notes,
  ): Pick<TaskView, "tasks" | "unreadable"> {
    const codec = codecFor(form);
    const unreadable: string[] = [];
    const tasks = namesIn(paths.tasks).flatMap((file) => {
      const id = taskIdOf(file);
      if (id === undefined) return [];
      const taskOf = (bytes: Uint8Array) => parsed.task(bytes, form, () => codec.readTask(bytes, id));
      const looked = read(paths.task(id), (bytes) => taskOf(bytes).value !== undefined);
      if (!looked) return [];
      const task = looked.bytes && taskOf(looked.bytes);
      note(paths.task(id), task?.problems ?? []);
      if (!task?.value) unreadable.push(id);
      return task?.value ?? [];
    });
    const openBlockers = openBlockersOf(tasks, unreadable);
    return {
      tasks: tasks
        .filter((task) => task.status !== "deleted" && !isInternal(task))
        .sort(byId)
        .map((task) => ({
          task,
          changedAt: lookAt(paths.task(task.id))?.mtimeMs ?? 0,
          openBlockers: openBlockers.get(task.id) ?? [],
        })),
      unreadable,
    };
  }

  function readView(name: string): TeamView | undefined {
    const paths = layout.team(name);
    const notes = openNotes();
    const { problems, note, read, namesIn } = notes;
    const teamOf = (bytes: Uint8Array, form = detectForm(bytes, [])) =>
      parsed.team(bytes, form, () => codecFor(form ?? "between").readTeam(bytes, name));
    const looked = read(paths.config, (bytes) => teamOf(bytes).value !== undefined);
    if (!looked) return undefined;
    const config = looked.bytes;
    const inboxes = namesIn(paths.inboxes).flatMap((file) => {
      const agent = inboxOwnerOf(file);
      if (agent === undefined && file.endsWith(".json")) note(`${paths.inboxes}/${file}`, [unnameable]);
      const bytes = agent === undefined ? undefined : read(paths.inbox(agent))?.bytes;
      return agent === undefined || bytes === undefined ? [] : [{ agent, bytes }];
    });
    const base = config && detectForm(config, []);
    const isBetween = (bytes: Uint8Array) =>
      parsed.form(bytes, base, () => config && detectForm(config, [bytes])) === "between";
    const form = base === "2026-02" && inboxes.some(({ bytes }) => isBetween(bytes)) ? "between" : base;
    const codec = codecFor(form ?? "between");

    const team = config && teamOf(config, form);
    note(paths.config, team?.problems ?? []);
    const mail = inboxes.map(({ agent, bytes }) => {
      const { messages, problems: found } = parsed.inbox(bytes, form, () => {
        const read = codec.readInbox(bytes);
        return { messages: messagesIn(read), problems: read.problems };
      });
      note(paths.inbox(agent), found);
      return { agent, messages };
    });
    return { team: name, form, config: team?.value, mail, ...readTasks(paths, form ?? "between", notes), problems };
  }

  return {
    team: (name, options) => seen(() => team(name), options),
    list: (name, options) => seen(() => list(name), options),
    all: (options) => seen(all, options),
  };
}

/** Lists the names in a directory, sorted; empty if there is no directory. */
function namesOf(onlooker: Onlooker, directory: string): { names: readonly string[]; problem?: Problem } {
  try {
    return { names: onlooker.names(directory) };
  } catch (error) {
    const message = (error as Error).message.replace(directory, "this").replace(/: put a directory.*/, "");
    return { names: [], problem: about(message, "put a directory in its place that you may read, or remove it") };
  }
}

/** Caches a parsed document by its bytes and its parser. */
function remembering() {
  const made = new WeakMap<Uint8Array, { readonly by: Form | undefined; readonly value: unknown }>();
  return <T>(bytes: Uint8Array, by: Form | undefined, make: () => T): T => {
    const known = made.get(bytes);
    if (known && known.by === by) return known.value as T;
    const value = make();
    made.set(bytes, { by, value });
    return value;
  };
}

const about = (message: string, fix: string): Problem => ({ path: "", code: "document_malformed", message, fix });
const unnameable = about("its name names no team or agent", "rename it: letters, digits, - and _, single dots");
