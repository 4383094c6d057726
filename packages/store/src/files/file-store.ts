import { mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  codecFor,
  detectForm,
  inboxOwnerOf,
  isTeamName,
  isTroupeError,
  type Layout,
  layoutOf,
  readJson,
  type TeamLayout,
  TroupeError,
} from "@troupe/protocol";
import type { NewTeam, Store, Team } from "../store.ts";
import { assertOwn, isPresent, makeDirectory, namesIn, rootOf } from "./directory.ts";
import { readBytes, readSettled } from "./document.ts";
import { type Held, type LockLimits, withLock, withLocks } from "./lock.ts";
import { moveDirectory, publish, removeDirectory } from "./publication.ts";
import { assertIdle } from "./roster.ts";
import { openTasks } from "./tasks.ts";
import { openTeamFiles } from "./team.ts";

export interface FileStoreDeps {
  /** The directory that holds `teams/` and `tasks/`. */
  readonly root: string;
  readonly limits?: LockLimits;
  /** Survive a power cut, not only the death of this process. */
  readonly isDurable?: boolean;
  readonly now?: () => Date;
  readonly newId?: () => string;
}

/** The embedded store: the files of the protocol, safe beside the real client and every other that keeps to the same locks. */
export function openFileStore({
  root,
  limits,
  isDurable = false,
  now = () => new Date(),
  newId = () => crypto.randomUUID(),
}: FileStoreDeps): Store {
  const layout = layoutOf(rootOf(root));
  const options = { isDurable, ...(limits && { limits }) };

  function open(name: string, config: Uint8Array): Team {
    const paths = layout.team(name);
    const form = detectForm(config, inboxTexts(paths));
    if (form === undefined) throw unreadable(paths.config);
    return openTeamFiles({ name, layout: paths, codec: codecFor(form), now, newId, ...options });
  }

  const openTeam = async (name: string): Promise<Team | undefined> => {
    const config = await readSettled(layout.team(name).config, (bytes) => bytes, isTorn);
    return config && open(name, config);
  };

  const listTeams = async () =>
    namesIn(layout.teams)
      .filter((name) => isTeamName(name) && isPresent(layout.team(name).config))
      .sort();

  /** Under the lock of all teams: nobody leads two. */
  function assertLeadsNone(sessionId: string): void {
    for (const name of namesIn(layout.teams).filter(isTeamName)) {
      const config = readIfSound(layout.team(name).config);
      if (config && codecFor("between").readTeam(config, name).value?.leadSessionId === sessionId)
        throw leading(sessionId, name);
    }
  }

  return {
    openTeam,
    listTeams,

    async createTeam({ revision = "2026-02", ...draft }: NewTeam) {
      const codec = codecFor(revision);
      const document = codec.write(codec.newTeam(draft));
      const paths = layout.team(draft.name);
      mkdirSync(root, { recursive: true, mode: 0o700 });
      const made = [layout.teams, layout.taskLists, paths.directory].filter(makeDirectory);
      try {
        await withLocks(
          [layout.teams, paths.config],
          (locks) => {
            if (isPresent(paths.config)) throw exists(draft.name);
            assertLeadsNone(draft.leadSessionId);
            finishRemovals(layout, draft.name, newId());
            makeDirectory(paths.tasks);
            if (codec.makesLockWithTeam) writeFileSync(paths.taskLock, "", { flag: "a", mode: 0o600 });
            publish(locks.get(paths.config) as Held, paths.config, document, isDurable);
          },
          limits,
        );
      } catch (error) {
        for (const directory of made.reverse()) removeIfEmpty(directory);
        throw error;
      }
      return open(draft.name, new TextEncoder().encode(document));
    },

    async deleteTeam(name, { evenIfActive = false } = {}) {
      const paths = layout.team(name);
      const team = await openTeam(name);
      if (!team) {
        if (remainsOf(layout, name).length > 0)
          await withLock(layout.teams, () => finishRemovals(layout, name, newId()), limits);
        return;
      }
      const { readTeam, removesTasksWithTeam } = codecFor(team.form);
      const aside = layout.deletedTeam(name, newId());
      await withLocks(
        [layout.teams, paths.config],
        (locks) => {
          if (!evenIfActive) assertIdle(name, readTeam(readBytes(paths.config) ?? "", name).value);
          const hasTasks = removesTasksWithTeam && isPresent(paths.tasks);
          if (hasTasks) assertOwn(paths.tasks);
          locks.get(paths.config)?.assertHeld();
          moveDirectory(paths.directory, aside);
          if (hasTasks) moveDirectory(paths.tasks, join(aside, "tasks"));
        },
        limits,
      );
      removeDirectory(aside);
    },

    tasksOfSession(sessionId) {
      const paths = layout.team(sessionId);
      mkdirSync(root, { recursive: true, mode: 0o700 });
      for (const directory of [layout.taskLists, paths.tasks]) makeDirectory(directory);
      return openTasks({ layout: paths, codec: codecFor("2026-11"), isMember: async () => true, ...options });
    },

    async savePlan(name, text) {
      mkdirSync(root, { recursive: true, mode: 0o700 });
      makeDirectory(layout.plans);
      const path = layout.plan(`${name}.md`);
      await withLock(path, (held) => publish(held, path, text, isDurable), limits);
    },

    async readPlan(name) {
      const bytes = readBytes(layout.plan(`${name}.md`));
      return bytes && new TextDecoder().decode(bytes);
    },
  };
}

/** Teams of this name that were put aside with tasks that go with them, and whose removal was cut short. */
function remainsOf(layout: Layout, name: string): string[] {
  const isOurs = (aside: string) => {
    const config = readIfSound(join(aside, "config.json"));
    if (!config || codecFor("between").readTeam(config, name).value?.name !== name) return false;
    const inboxes = join(aside, "inboxes");
    const form = detectForm(config, inboxTexts({ inboxes, inbox: (agent) => join(inboxes, `${agent}.json`) }));
    return form !== undefined && codecFor(form).removesTasksWithTeam;
  };
  const asides = namesIn(layout.teams).filter((one) => one.startsWith(`${name}.deleted-`) && !isTeamName(one));
  return asides.map((one) => join(layout.teams, one)).filter(isOurs);
}

/** Under the lock of all teams, while there is none of this name. */
export function finishRemovals(layout: Layout, name: string, id: string): void {
  const { tasks } = layout.team(name);
  const [aside] = remainsOf(layout, name);
  if (aside && isPresent(tasks)) moveDirectory(tasks, join(aside, `tasks.${id}`));
  for (const one of remainsOf(layout, name)) removeDirectory(one);
}

const isTorn = (bytes: Uint8Array): boolean => readJson(bytes).problems.some(({ code }) => code === "document_torn");

function* inboxTexts({ inboxes, inbox }: Pick<TeamLayout, "inboxes" | "inbox">): Generator<Uint8Array> {
  for (const file of namesIn(inboxes)) {
    const owner = inboxOwnerOf(file);
    const bytes = owner === undefined ? undefined : readIfSound(inbox(owner));
    if (bytes) yield bytes;
  }
}

/** For a question that a file which cannot be read does not answer. */
function readIfSound(path: string): Uint8Array | undefined {
  try {
    return readBytes(path);
  } catch (error) {
    if (isTroupeError(error)) return undefined;
    throw error;
  }
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // Somebody else uses it.
  }
}

const exists = (name: string): TroupeError =>
  new TroupeError("team_exists", `there is a team called ${name}: open it, or choose another name`, { name });

const leading = (sessionId: string, name: string): TroupeError =>
  new TroupeError("session_leading", `the session ${sessionId} leads ${name} already: end that team first`, {
    sessionId,
    name,
  });

const unreadable = (path: string): TroupeError =>
  new TroupeError("document_unreadable", `${path} cannot be read as a team's config: mend it, nothing was changed`, {
    path,
  });
