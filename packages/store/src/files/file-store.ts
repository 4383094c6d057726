import { setMaxListeners } from "node:events";
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
import { assertIdle, removedTeamOf, unusable } from "@troupe/protocol/rules";
import { checkedStore, whileOpen } from "../checked.ts";
import { sessionLeading, teamExists, teamRemoved } from "../refusals.ts";
import type { NewTeam, Store, Team } from "../store.ts";
import { assertOpening, storeShape } from "./checked.ts";
import { assertOwn, assertOwnBoth, attempt, isPresent, makeDirectory, namesIn, rootOf } from "./directory.ts";
import { readBytes, readLasting } from "./document.ts";
import { eventsIn } from "./history.ts";
import { type Held, withLock, withLocks } from "./lock.ts";
import { onlookAt } from "./onlook.ts";
import { keptUnder, ownOfRoot, ownOfSession, ownOfTeam } from "./own-directory.ts";
import { endPast, lastEnded, partPast } from "./past.ts";
import { moveDirectory, publish, removeDirectory, rewrite, type WriteOptions } from "./publication.ts";
import { openTasks } from "./tasks.ts";
import { type KnownConfig, openTeamFiles } from "./team.ts";

export interface FileStoreDeps extends WriteOptions {
  /** The directory that holds `teams/` and `tasks/`. */
  readonly root: string;
  readonly now?: () => Date;
  readonly newId?: () => string;
}

/**
 * The embedded store: the files of the protocol, safe beside the real client and every other that
 * keeps to the same locks.
 */
export function openFileStore(deps: FileStoreDeps): Store {
  assertOpening("openFileStore", deps, storeShape);
  const { root, now = () => new Date(), newId = () => crypto.randomUUID(), ...options } = deps;
  const layout = layoutOf(rootOf(root));
  const { limits, isDurable } = options;
  const closing = new AbortController();
  // Each lease and watch listens to it, of hundreds of members.
  setMaxListeners(0, closing.signal);
  const configs = new Map<string, KnownConfig>();

  const teamNames = () => namesIn(layout.teams).filter(isTeamName).sort();

  /** Creates the missing directories of a chain and returns those that it created. */
  function makeDirectories(...below: readonly string[]): string[] {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    return below.filter(makeDirectory);
  }

  function open(name: string, config: Uint8Array): Team {
    const paths = layout.team(name);
    const form = detectForm(config, inboxTexts(paths.inboxes));
    if (form === undefined) throw unusable(paths.config, readJson(config), "unreadable");
    return openTeamFiles({
      name,
      layout: paths,
      codec: codecFor(form),
      now,
      newId,
      closing: closing.signal,
      configs,
      ...options,
    });
  }

  const openTeam = async (name: string): Promise<Team | undefined> => {
    assertOwnBoth(layout.team(name).directory);
    const config = await readLasting(layout.team(name).config, (bytes) => ({ bytes, ...readJson(bytes) }));
    return config && open(name, config.bytes);
  };

  const isTeam = (name: string) => isTeamName(name) && isPresent(layout.team(name).config);
  /** Other clients remove a config and write it again: a team is gone with its directory. */
  const hasDirectory = (name: string) => isTeamName(name) && isPresent(layout.team(name).directory);
  const listTeams = async () => teamNames().filter(isTeam);

  function readTeam(name: string) {
    const config = readIfSound(layout.team(name).config);
    return config && codecFor("between").readTeam(config, name).value;
  }

  /** Holds under the lock of all teams: no session leads two. */
  function assertLeadsNone(sessionId: string): void {
    for (const name of teamNames()) {
      if (readTeam(name)?.leadSessionId === sessionId) throw sessionLeading(sessionId, name);
    }
  }

  return checkedStore(closing.signal, {
    openTeam,
    listTeams,

    async createTeam({ revision = "2026-02", ...draft }: NewTeam, { once } = {}) {
      const codec = codecFor(revision);
      const document = codec.write(codec.newTeam(draft));
      const paths = layout.team(draft.name);
      const { name, createdAt, leadSessionId } = draft;
      const made = { name, createdAt, leadSessionId };
      const kept = once === undefined ? undefined : keptUnder<typeof made>(ownOfRoot(layout.root), once);
      const begin = (held: Held) => {
        const before = kept?.read();
        const there = before && readTeam(before.result.name);
        const isSame =
          there?.createdAt === before?.result.createdAt && there?.leadSessionId === before?.result.leadSessionId;
        if (before && there && isSame) return kept?.keep(held, true, before.result, isDurable);
        if (before?.isDone) throw teamRemoved(before.result.name);
        if (isPresent(paths.config)) throw teamExists(name);
        assertLeadsNone(leadSessionId);
        finishRemovals(layout, name, newId());
        endPast(layout.root, name, now().getTime(), hasDirectory);
        partPast(layout.root, name, createdAt);
        makeDirectory(paths.tasks);
        if (codec.makesLockWithTeam) writeFileSync(paths.taskLock, "", { flag: "a", mode: 0o600 });
        kept?.keep(held, false, made, isDurable);
        publish(held, paths.config, document, isDurable);
        kept?.keep(held, true, made, isDurable);
      };
      const below = makeDirectories(layout.teams, layout.taskLists, paths.directory);
      try {
        await withLocks([layout.teams, paths.config], begin, limits);
      } catch (error) {
        // A directory that is not empty is in use by another program.
        for (const directory of below.reverse()) attempt(() => rmdirSync(directory));
        throw error;
      }
      const bytes = once === undefined ? undefined : readBytes(paths.config);
      return open(name, bytes ?? new TextEncoder().encode(document));
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
        endPast(layout.root, name, now().getTime(), hasDirectory);
      };
      await withLocks([layout.teams, paths.config], end, limits);
      removeDirectory(aside);
    },

    tasksOfSession(sessionId) {
      const paths = layout.team(sessionId);
      makeDirectories(layout.taskLists, paths.tasks);
      const own = async () => {
        const stamp = { at: now().toISOString(), id: newId() };
        return { place: ownOfSession(layout.root, sessionId), stamp };
      };
      const codec = codecFor("2026-11");
      const tasks = openTasks({ layout: paths, codec, isMember: async () => true, own, ...options });
      return whileOpen(closing.signal, tasks);
    },

    async savePlan(name, text) {
      const path = layout.plan(`${name}.md`);
      if (Buffer.byteLength(name) > 200)
        throw new TroupeError("name_invalid", "the name of the plan has more than 200 bytes: shorten it", { name });
      makeDirectories(layout.plans);
      await rewrite(path, options, () => text);
    },

    async readPlan(name) {
      const bytes = readBytes(layout.plan(`${name}.md`));
      return bytes && new TextDecoder().decode(bytes);
    },

    onlook: () => onlookAt(layout.root),

    async *past(name) {
      const team = readTeam(name);
      const present = team && ownOfTeam(layout.team(name), name, team);
      for (const place of lastEnded(layout.root, name, present)) yield* eventsIn(place);
    },

    async close() {
      closing.abort();
    },
  });
}

/**
 * Teams of this name that were put aside with tasks that go with them, and whose removal was cut
 * short.
 */
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
