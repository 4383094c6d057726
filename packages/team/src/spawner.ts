import {
  backendOf,
  type Member as Entry,
  leadOf,
  messageOf,
  type TeamConfig,
  TroupeError,
  teammateTerminated,
} from "@troupe/protocol";
import type { Message, Participant, Team } from "@troupe/store";
import type { Backend, Spawned, TeammateSpec, TeamRef } from "./backend.ts";
import { eventIn, type TeamEvent } from "./events.ts";
import { rosterEntry } from "./handshakes/handshake.ts";
import { revisionOf, teammateMessage } from "./words.ts";

export interface SpawnerDeps {
  readonly team: Pick<
    Team,
    "name" | "form" | "config" | "join" | "updateMember" | "leave" | "as" | "tasks" | "history"
  >;
  /** The lead: that it is about to add a teammate stands in the history first. */
  readonly self: Pick<Participant, "record" | "send">;
  readonly backends: readonly Backend[];
  readonly now: () => Date;
  /** How long a teammate may take to end by itself before it is killed. */
  readonly graceMs: number;
}

/**
 * Starts teammates and lets go of them: the roster entry is there before anything runs, and goes
 * when nothing does.
 */
export interface Spawner {
  spawn(spec: Omit<TeammateSpec, keyof TeamRef>, backend: string, signal: AbortSignal): Promise<Added>;
  /** What runs of this name, started by this process or by another. */
  find(name: string): Promise<Spawned | undefined>;
  /** Lets a backend forget those that have ended unseen. */
  sweep(backend: string): Promise<void>;
  /** Ends those that run and are in the roster no more; rejects where one cannot be ended. */
  endStrays(): Promise<void>;
  /** Ends this one and no other of its name; of one that has ended nothing is left either. */
  end(one: Spawned): Promise<void>;
  /** Ends where a member runs; one that no backend of ours runs is left to itself. */
  stop(member: Pick<Entry, "name">): Promise<void>;
  /** Those that this lead has added, in this process or in an earlier one. */
  ours(): Promise<IsSpawned>;
  /**
   * After a crash: takes over what runs on, ends what has no member, and takes out members of ours
   * that are gone or never began.
   */
  recover(): Promise<Recovered>;
}

/** A teammate that runs, and the time of its roster entry. */
export interface Added {
  readonly one: Spawned;
  readonly joinedAt: number;
}

/** What was found of the teammates of a lead that crashed. */
export interface Recovered {
  readonly adopted: readonly Added[];
  /** Those that were taken out, with the words for the lead's model. */
  readonly gone: readonly { readonly name: string; readonly words: string }[];
}

export function createSpawner({ team, self, backends, now, graceMs }: SpawnerDeps): Spawner {
  let ref: Promise<TeamRef> | undefined;
  /** Those that this process has added or taken over: the history may go back less far. */
  const known = new Set<string>();
  /** Which team it is: read once, so that a later one of its name is none of its. */
  function thisTeam(): Promise<TeamRef> {
    ref ??= soundConfig(team).then(({ createdAt = 0 }) => ({ team: team.name, teamCreatedAt: createdAt }));
    ref.catch(() => {
      ref = undefined;
    });
    return ref;
  }

  async function running(): Promise<readonly { readonly backend: Backend; readonly one: Spawned }[]> {
    const here = await thisTeam();
    const lists = await Promise.all(
      backends.map(async (backend) => (await backend.list(here)).map((one) => ({ backend, one }))),
    );
    return lists.flat();
  }

  async function stop({ name }: Pick<Entry, "name">): Promise<void> {
    for (const { backend, one } of await running()) if (one.name === name) await backend.stop(one, graceMs);
  }

  /**
   * Readers of the roster know panes of tmux and the process of the lead: of a member that runs
   * elsewhere it says nothing, as of one that joined by itself.
   */
  async function place({ name, backend, pane }: Spawned): Promise<void> {
    if (pane === undefined && backend !== "in-process") return;
    await team.updateMember(name, { tmuxPaneId: pane ?? backend, backendType: backend });
  }

  const ours = async (): Promise<IsSpawned> => {
    const isSpawned = await spawnedIn(team);
    return (entry) => known.has(beginOf(entry)) || isSpawned(entry);
  };

  return {
    stop,
    find: async (name) => (await running()).find(({ one }) => one.name === name)?.one,
    ours,
    end: async (one) => backends.find(({ name }) => name === one.backend)?.stop(one, graceMs),

    async sweep(name) {
      const backend = backends.find((one) => one.name === name);
      // Elsewhere it leaves nothing here, and what has not begun is waited for by another terminal.
      if (!backend || backend.isElsewhere) return;
      const names = new Set((await soundConfig(team)).members.map((member) => member.name));
      await backend.recover(await thisTeam(), names);
    },

    async endStrays() {
      const { members } = await soundConfig(team);
      for (const { backend, one } of await running())
        if (!members.some(({ name }) => name === one.name)) await backend.stop(one, graceMs);
    },

    async spawn(spec, name, signal) {
      const backend = backends.find((one) => one.name === name);
      if (!backend) {
        const names = backends.map((one) => one.name);
        const message = `no backend is called ${JSON.stringify(name)}: choose one of ${names.join(", ") || "none"}`;
        throw new TroupeError("arguments_invalid", message, { field: "backend", names });
      }
      const { name: member, agentType, model, prompt, planModeRequired, cwd } = spec;
      const here = await thisTeam();
      const joinedAt = now().getTime();
      const record = (event: TeamEvent) => self.record(event);
      await record({ kind: "spawning", name: member, joinedAt });
      known.add(beginOf({ name: member, joinedAt }));
      const entry = await team.join({ name: member, agentType, model, prompt, planModeRequired, joinedAt, cwd });
      let sent: Message | undefined;
      try {
        if (!backend.tellsPrompt) sent = await self.send(member, { text: prompt });
        const one = await backend.spawn({ ...spec, ...here, joinedAt, color: entry.color }, signal);
        try {
          await place(one);
          await record({ kind: "spawned", name: member, joinedAt, backend: name, model, mode: spec.mode });
        } catch (error) {
          await backend.stop(one, graceMs);
          throw error;
        }
        return { one, joinedAt };
      } catch (error) {
        // What a later member of the name finds in its inbox would be its task as well.
        if (sent) await drop(team, member, sent).catch(() => {});
        await team.leave(member);
        throw error;
      }
    },

    async recover() {
      const here = await thisTeam();
      const config = await soundConfig(team);
      const lead = leadOf(config)?.name;
      const members = config.members.filter(({ name }) => name !== lead);
      const names = new Set(members.map(({ name }) => name));
      const found = await Promise.all(backends.map((backend) => backend.recover(here, names)));
      const running = found.flatMap((one) => one.adopted);
      const isOurs = await ours();
      const adopted: Recovered["adopted"][number][] = [];
      const gone: Recovered["gone"][number][] = [];
      for (const entry of members) {
        const { name, joinedAt = 0 } = entry;
        const one = running.find((place) => place.name === name);
        // Who was killed behind a spawn has not written down where the teammate runs.
        if (one && backendOf(entry) === undefined) await place(one);
        if (one) {
          known.add(beginOf({ name, joinedAt }));
          adopted.push({ one, joinedAt });
        } else if (isOurs({ name, joinedAt })) gone.push({ name, words: await removeMember(team, name) });
      }
      return { adopted, gone };
    },
  };
}

async function soundConfig(team: Pick<Team, "name" | "config">): Promise<TeamConfig> {
  const { value } = await team.config();
  if (value) return value;
  const message = `the config of the team ${team.name} cannot be read: troupe doctor says more`;
  throw new TroupeError("document_invalid", message, { team: team.name });
}

/** Takes a message out of the mail of a member that nobody reads. */
async function drop(team: Pick<Team, "as">, name: string, { key }: Message): Promise<void> {
  const lease = await (await team.as(name)).receive();
  try {
    await lease.take();
    await lease.acknowledge(new Set([key]));
  } finally {
    await lease.release();
  }
}

const beginOf = ({ name, joinedAt }: Pick<Entry, "name" | "joinedAt">): string => JSON.stringify([name, joinedAt]);

/**
 * Tells of an entry whether a lead of the team has added it; of one that is gone, which has no
 * time any more, whether a lead has ever added one of its name.
 */
export type IsSpawned = (entry: Pick<Entry, "name" | "joinedAt">) => boolean;

/** Reads who was added by a lead, which records that before it adds an entry. */
export async function spawnedIn(team: Pick<Team, "history">): Promise<IsSpawned> {
  const begun = new Set<string>();
  for await (const recorded of team.history()) {
    const event = eventIn(recorded);
    if (event?.kind === "spawning") begun.add(beginOf(event)).add(beginOf({ name: event.name }));
  }
  return (entry) => begun.has(beginOf(entry));
}

/**
 * Whether a member was started by its lead, which takes it out when it ends: ours record that,
 * others say in the roster where it runs. One that joined by itself leaves by itself.
 */
export async function wasSpawned(team: Pick<Team, "config" | "history">, name: string): Promise<boolean> {
  const entry = await rosterEntry(team, name);
  return entry !== undefined && (backendOf(entry) !== undefined || (await spawnedIn(team))(entry));
}

/** Gives back the unfinished tasks of a member. */
export async function releaseTasks(team: Pick<Team, "tasks">, name: string) {
  const released: { readonly id: string; readonly subject: string }[] = [];
  for (const { id, subject = "", owner } of (await team.tasks.list()).tasks)
    if (owner === name && (await team.tasks.release(id, name))) released.push({ id, subject });
  return released;
}

/**
 * Says of the tasks in progress of a member that it was interrupted, or no more; they stay its own.
 */
export async function markTasks(team: Pick<Team, "tasks">, name: string, interrupted: string | null) {
  const { tasks } = await team.tasks.list();
  const open = tasks.filter(({ owner, status }) => owner === name && status === "in_progress");
  for (const { id } of open) await team.tasks.update(id, { metadata: { interrupted } });
  return open.map(({ id, subject = "" }) => ({ id, subject }));
}

/**
 * Takes a member out of the team that its lead has added, however it ended, and says so in the
 * words for the lead's model. Leaving is the last step, so that who does it again after a crash
 * still has all of it before them.
 */
export async function removeMember(
  team: Pick<Team, "name" | "form" | "config" | "leave" | "tasks">,
  name: string,
  stop: (member: Entry) => Promise<void> = async () => {},
  show: (message: string) => void = () => {},
): Promise<string> {
  const member = await rosterEntry(team, name);
  if (member)
    await stop(member).catch((error: unknown) =>
      show(`What ${member.name} ran in could not be ended: ${messageOf(error)}`),
    );
  const unassigned = await releaseTasks(team, name);
  if (member) await team.leave(member.name);
  const revision = revisionOf(team.form);
  const text = teammateTerminated[revision]({ runId: `${name}@${team.name}`, name, unassigned });
  return revision === "2026-02" ? text : teammateMessage({ from: "system", text, timestamp: "" });
}
