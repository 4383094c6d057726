import { mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  codecFor,
  detectForm,
  inboxOwnerOf,
  isTeamName,
  type Layout,
  layoutOf,
  readJson,
  TroupeError,
} from "@troupe/protocol";
import { assertIdle, assertLimits, removedTeamOf, unusable } from "@troupe/protocol/rules";
import type { NewTeam, Store, Team } from "../store.ts";
import { assertOwn, attempt, isPresent, makeDirectory, namesIn, rootOf } from "./directory.ts";
import { readBytes, readSettled } from "./document.ts";
import { type Held, withLock, withLocks } from "./lock.ts";
import { moveDirectory, publish, removeDirectory, rewrite, type WriteOptions } from "./publication.ts";
import { openTasks } from "./tasks.ts";
import { openTeamFiles } from "./team.ts";

export interface FileStoreDeps extends WriteOptions {
  /** The directory that holds `teams/` and `tasks/`. */
  readonly root: string;
  readonly now?: () => Date;
  readonly newId?: () => string;
}

/** The embedded store: the files of the protocol, safe beside the real client and every other that keeps to the same locks. */
export function openFileStore({
  root,
  now = () => new Date(),
  newId = () => crypto.randomUUID(),
  ...options
}: FileStoreDeps): Store {
  const layout = layoutOf(rootOf(root));
  const { limits, isDurable } = options;
  if (limits) assertLimits(limits);

  const teamNames = () => namesIn(layout.teams).filter(isTeamName).sort();

  /** Makes what is not there of a chain of directories, and says what it made. */
  function makeDirectories(...below: readonly string[]): string[] {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    return below.filter(makeDirectory);
  }

  function open(name: string, config: Uint8Array): Team {
    const paths = layout.team(name);
    const form = detectForm(config, inboxTexts(paths.inboxes));
    if (form === undefined) throw unusable(paths.config, readJson(config), "unreadable");
    return openTeamFiles({ name, layout: paths, codec: codecFor(form), now, newId, ...options });
  }

  const openTeam = async (name: string): Promise<Team | undefined> => {
    const config = await readSettled(layout.team(name).config, (bytes) => ({ bytes, ...readJson(bytes) }));
    return config && open(name, config.bytes);
  };

  const listTeams = async () => teamNames().filter((name) => isPresent(layout.team(name).config));

  /** Under the lock of all teams: nobody leads two. */
  function assertLeadsNone(sessionId: string): void {
    for (const name of teamNames()) {
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
      const begin = (held: Held) => {
        if (isPresent(paths.config)) throw exists(draft.name);
        assertLeadsNone(draft.leadSessionId);
        finishRemovals(layout, draft.name, newId());
        makeDirectory(paths.tasks);
        if (codec.makesLockWithTeam) writeFileSync(paths.taskLock, "", { flag: "a", mode: 0o600 });
        publish(held, paths.config, document, isDurable);
      };
      const made = makeDirectories(layout.teams, layout.taskLists, paths.directory);
      try {
        await withLocks([layout.teams, paths.config], begin, limits);
      } catch (error) {
        // What is not empty somebody else uses.
        for (const directory of made.reverse()) attempt(() => rmdirSync(directory));
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
      const end = (held: Held) => {
        const { value } = readTeam(readBytes(paths.config) ?? "", name);
        if (value && !evenIfActive) assertIdle(name, value);
        const hasTasks = removesTasksWithTeam && isPresent(paths.tasks);
        if (hasTasks) assertOwn(paths.tasks);
        held.assertHeld();
        moveDirectory(paths.directory, aside);
        if (hasTasks) moveDirectory(paths.tasks, join(aside, "tasks"));
      };
      await withLocks([layout.teams, paths.config], end, limits);
      removeDirectory(aside);
    },

    tasksOfSession(sessionId) {
      const paths = layout.team(sessionId);
      makeDirectories(layout.taskLists, paths.tasks);
      return openTasks({ layout: paths, codec: codecFor("2026-11"), isMember: async () => true, ...options });
    },

    async savePlan(name, text) {
      makeDirectories(layout.plans);
      await rewrite(layout.plan(`${name}.md`), options, () => text);
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
    const form = detectForm(config, inboxTexts(join(aside, "inboxes")));
    return form !== undefined && codecFor(form).removesTasksWithTeam;
  };
  const asides = namesIn(layout.teams).filter((one) => removedTeamOf(one) === name);
  return asides.map((one) => join(layout.teams, one)).filter(isOurs);
}

/** Under the lock of all teams, while there is none of this name. */
export function finishRemovals(layout: Layout, name: string, id: string): void {
  const { tasks } = layout.team(name);
  const [aside] = remainsOf(layout, name);
  if (aside && isPresent(tasks)) moveDirectory(tasks, join(aside, `tasks.${id}`));
  for (const one of remainsOf(layout, name)) removeDirectory(one);
}

function* inboxTexts(inboxes: string): Generator<Uint8Array> {
  for (const file of namesIn(inboxes)) {
    const bytes = inboxOwnerOf(file) === undefined ? undefined : readIfSound(join(inboxes, file));
    if (bytes) yield bytes;
  }
}

/** For a question that a file which cannot be read does not answer. */
const readIfSound = (path: string) => attempt(() => readBytes(path));

function exists(name: string): TroupeError {
  return new TroupeError("team_exists", `there is a team called ${name}: open it, or choose another name`, { name });
}

function leading(sessionId: string, name: string): TroupeError {
  const message = `the session ${sessionId} leads ${name} already: end that team first`;
  return new TroupeError("session_leading", message, { sessionId, name });
}
