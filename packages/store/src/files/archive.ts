import { mkdirSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  codecFor,
  detectForm,
  inboxOwnerOf,
  isTeamName,
  type Layout,
  layoutOf,
  messageOf,
  TroupeError,
  taskIdOf,
} from "@troupe/protocol";
import { assertGiven } from "@troupe/protocol/rules";
import { type Archive, type ArchivedList, type ArchivedTeam, type ArchivedText, assertArchive } from "../archive.ts";
import { teamExists } from "../refusals.ts";
import { isPresent, lookAt, namesIn, rootOf } from "./directory.ts";
import { readBytes } from "./document.ts";
import { recordEvent } from "./events.ts";
import { eventsIn } from "./history.ts";
import { ownOfTeam } from "./own-directory.ts";
import { publishAlone } from "./publication.ts";

export interface ReadArchive {
  readonly archive: Archive;
  /** Why a file is not in it. */
  readonly left: readonly { readonly path: string; readonly message: string }[];
}

/**
 * Reads all teams, lists and plans below a root, without a lock. Throws `lock_unavailable` where
 * they change meanwhile.
 */
export async function readArchive(root: string): Promise<ReadArchive> {
  assertGiven("readArchive", { root }, { root: "path" });
  const layout = layoutOf(rootOf(root));
  const [first, second] = [await readOnce(layout), await readOnce(layout)];
  if (JSON.stringify(first) === JSON.stringify(second)) return second;
  const message = `the teams below ${root} change while they are read: end what works in them, and try again`;
  throw new TroupeError("lock_unavailable", message, { root });
}

async function readOnce(layout: Layout): Promise<ReadArchive> {
  const left: { path: string; message: string }[] = [];

  function textAt(path: string): string | undefined {
    try {
      const bytes = readBytes(path);
      return bytes && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch (error) {
      const isText = error instanceof TypeError;
      left.push({ path, message: isText ? `${path} is no text in UTF-8: mend it, or leave it out` : messageOf(error) });
      return undefined;
    }
  }

  const textsIn = (directory: string, nameOf: (file: string) => string | undefined): ArchivedText[] =>
    namesIn(directory)
      .sort()
      .flatMap((file) => {
        const name = nameOf(file);
        const text = name === undefined ? undefined : textAt(join(directory, file));
        return name === undefined || text === undefined ? [] : { name, text };
      });

  async function teamCalled(name: string): Promise<ArchivedTeam | undefined> {
    const paths = layout.team(name);
    const config = textAt(paths.config);
    if (config === undefined) return undefined;
    const inboxes = textsIn(paths.inboxes, inboxOwnerOf);
    const form =
      detectForm(
        config,
        inboxes.map(({ text }) => text),
      ) ?? "between";
    const events = [];
    const { value = {} } = codecFor("between").readTeam(config, name);
    for await (const { id: _, ...event } of eventsIn(ownOfTeam(paths, name, value))) events.push(event);
    return { name, form, config, inboxes, events };
  }

  function listCalled(name: string): ArchivedList {
    const { tasks: directory, highWaterMark } = layout.team(name);
    const tasks = textsIn(directory, taskIdOf).map((task) => ({
      ...task,
      changedAt: Math.floor(lookAt(join(directory, `${task.name}.json`))?.mtimeMs ?? 0),
    }));
    const ids = tasks.map((task) => Number(task.name));
    return {
      name,
      tasks,
      lastId: [...ids, Number(textAt(highWaterMark) ?? 0) || 0].reduce((a, b) => Math.max(a, b), 0),
    };
  }

  const teams = [];
  for (const name of namesIn(layout.teams).filter(isTeamName).sort()) teams.push((await teamCalled(name)) ?? []);
  const named = new Set(teams.flat().map(({ name }) => name));
  const lists = namesIn(layout.taskLists)
    .filter(isTeamName)
    .sort()
    .map(listCalled)
    .filter(({ name, lastId }) => lastId > 0 || named.has(name));
  const plans = textsIn(layout.plans, (file) => (file.endsWith(".md") ? file.slice(0, -".md".length) : undefined));
  return { archive: { teams: teams.flat(), lists, plans }, left };
}

/** Writes an archive below a root. Throws `team_exists` before it writes where a name is taken. */
export function writeArchive(root: string, archive: Archive): void {
  assertGiven("writeArchive", { root }, { root: "path" });
  assertArchive("writeArchive", archive);
  const { teams, lists, plans } = archive;
  const layout = layoutOf(rootOf(root));
  for (const { name } of teams) if (isPresent(layout.team(name).directory)) throw teamExists(name);
  for (const { name } of lists) if (namesIn(layout.team(name).tasks).some(taskIdOf)) throw teamExists(name);
  const fresh = plans.filter(({ name, text }) => !isPlan(layout.plan(`${name}.md`), name, text));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    publishAlone(path, text);
  };
  for (const { name, tasks, lastId } of lists) {
    const paths = layout.team(name);
    mkdirSync(paths.tasks, { recursive: true, mode: 0o700 });
    for (const { name: id, text, changedAt } of tasks) {
      write(paths.task(id), text);
      // A whole millisecond in seconds may come out as the end of the one before.
      const seconds = (changedAt + 0.1) / 1_000;
      utimesSync(paths.task(id), seconds, seconds);
    }
    if (tasks.every((task) => Number(task.name) < lastId) && lastId > 0) write(paths.highWaterMark, String(lastId));
  }
  for (const { name, form, config, inboxes, events } of teams) {
    const paths = layout.team(name);
    const { value = {} } = codecFor(form).readTeam(config, name);
    for (const event of events) recordEvent(ownOfTeam(paths, name, value), event);
    for (const inbox of inboxes) write(join(paths.inboxes, `${inbox.name}.json`), inbox.text);
    if (codecFor(form).makesLockWithTeam) write(paths.taskLock, "");
    // A team is there with its config.
    write(paths.config, config);
  }
  for (const { name, text } of fresh) write(layout.plan(`${name}.md`), text);
}

function isPlan(path: string, name: string, text: string): boolean {
  const bytes = readBytes(path);
  if (!bytes) return false;
  if (new TextDecoder().decode(bytes) === text) return true;
  throw new TroupeError("team_exists", `there is another plan called ${name}: choose an empty directory`, { name });
}
