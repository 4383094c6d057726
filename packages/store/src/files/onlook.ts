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
  type ReadJson,
  type TeamLayout,
  taskIdOf,
} from "@troupe/protocol";
import { mailView } from "../mail-view.ts";
import type { LocatedProblem, LookOptions, Onlook, RootView, Seen, TaskView, TeamView } from "../store.ts";
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
    const read = (path: string, isSound?: (json: ReadJson) => boolean): Looked | undefined => {
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
    const found = namesIn(paths.tasks).flatMap((file) => {
      const id = taskIdOf(file);
      if (id === undefined) return [];
      const taskOf = (json: ReadJson) => parsed.task(json, form, () => codec.readTask(json, id));
      const path = paths.task(id);
      const looked = read(path, (json) => taskOf(json).value !== undefined);
      if (!looked) return [];
      const task = looked.whole && taskOf(looked.whole.json);
      note(path, task?.problems ?? []);
      if (!task?.value) unreadable.push(id);
      return task?.value ? { task: task.value, changedAt: looked.changedAt } : [];
    });
    const openBlockers = openBlockersOf(
      found.map(({ task }) => task),
      unreadable,
    );
    return {
      tasks: found
        .filter(({ task }) => task.status !== "deleted" && !isInternal(task))
        .sort((a, b) => byId(a.task, b.task))
        .map(({ task, changedAt }) => ({ task, changedAt, openBlockers: openBlockers.get(task.id) ?? [] })),
      unreadable,
    };
  }

  function readView(name: string): TeamView | undefined {
    const paths = layout.team(name);
    const notes = openNotes();
    const { problems, note, read, namesIn } = notes;
    const teamOf = (json: ReadJson, form = detectForm(json, [])) =>
      parsed.team(json, form, () => codecFor(form ?? "between").readTeam(json, name));
    const looked = read(paths.config, (json) => teamOf(json).value !== undefined);
    if (!looked) return undefined;
    const config = looked.whole?.json;
    const inboxes = namesIn(paths.inboxes).flatMap((file) => {
      const agent = inboxOwnerOf(file);
      if (agent === undefined && file.endsWith(".json")) note(`${paths.inboxes}/${file}`, [unnameable]);
      const json = agent === undefined ? undefined : read(paths.inbox(agent))?.whole?.json;
      return agent === undefined || json === undefined ? [] : [{ agent, json }];
    });
    const base = config && detectForm(config, []);
    const isBetween = (json: ReadJson) =>
      parsed.form(json, base, () => config && detectForm(config, [json])) === "between";
    const form = base === "2026-02" && inboxes.some(({ json }) => isBetween(json)) ? "between" : base;
    const codec = codecFor(form ?? "between");

    const team = config && teamOf(config, form);
    note(paths.config, team?.problems ?? []);
    const mail = inboxes.map(({ agent, json }) => {
      const { view, problems: found } = parsed.inbox(json, form, () => {
        const { entries, problems } = codec.readInbox(json);
        return { view: mailView(agent, entries), problems };
      });
      note(paths.inbox(agent), found);
      return view;
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

/** Caches what is made of a document by its text and its parser. */
function remembering() {
  const made = new WeakMap<ReadJson, { readonly by: Form | undefined; readonly value: unknown }>();
  return <T>(json: ReadJson, by: Form | undefined, make: () => T): T => {
    const known = made.get(json);
    if (known && known.by === by) return known.value as T;
    const value = make();
    made.set(json, { by, value });
    return value;
  };
}

const about = (message: string, fix: string): Problem => ({ path: "", code: "document_malformed", message, fix });
const unnameable = about("its name names no team or agent", "rename it: letters, digits, - and _, single dots");
