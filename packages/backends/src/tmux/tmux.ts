import { resolve } from "node:path";
import { programIn, startOf } from "@troupe/process";
import { messageOf, TroupeError } from "@troupe/protocol";
import { inTurn } from "@troupe/store";
import type { Backend, Spawned, TeamRef } from "@troupe/team";
import { assertLaunch, type BackendDeps, type Launch, type SpawnSpec } from "../launch.ts";
import { type BackendRecord, openRecords } from "../records.ts";
import { isHeldElsewhere, thisProcess } from "../running.ts";
import { clientsIn, type PlaceDeps, refused } from "./client.ts";
import { type Ended, endOf } from "./end.ts";
import { endPane, isAlive } from "./panes.ts";
import { type Inside, insideOf, sessionNameOf } from "./place.ts";
import { addPane, assertShort, startIn, untilEnded, untilReady } from "./spawning.ts";

/** Teammates get nothing of its environment. */
export type TmuxDeps = BackendDeps & PlaceDeps;

interface Placing {
  readonly spec: SpawnSpec;
  readonly launch: Launch;
  readonly inside: Inside | undefined;
  /** Told of each record of what there is, so that the last one can be undone. */
  took(record: BackendRecord): void;
}

/** Time for one that has no member, or did not begin to work, to end by itself. */
const graceMs = 2_000;

/** Teammates in panes: beside their lead, or in a session of their own where it is not in tmux. */
export function tmuxBackend({ environment, socket, ...deps }: TmuxDeps): Backend {
  const records = openRecords(deps.records);
  const tmuxOf = clientsIn({ environment, socket });
  /** Marks of what this process is about to start, and of what it ends. */
  const starting = new Set<string>();
  const stopped = new Set<string>();
  const ends = new Map<string, Promise<Ended>>();
  const layout = inTurn();

  function recordsOf(team: string): readonly BackendRecord[] {
    const { records: all, problems } = records.all();
    for (const problem of problems) deps.warn(problem);
    return all.filter((record) => record.backend === "tmux" && record.team === team);
  }

  async function runningOf({ team, teamCreatedAt }: TeamRef): Promise<readonly BackendRecord[]> {
    const all = recordsOf(team).filter((one) => one.isReady && one.teamCreatedAt === teamCreatedAt);
    const running = await Promise.all(all.map(isAlive));
    return all.filter((_, index) => running[index]);
  }

  const recordOf = (one: Spawned) =>
    recordsOf(one.team).find(({ name, pane, process }) => {
      const isSame = process?.pid === one.process?.pid && process?.startedAt === one.process?.startedAt;
      return name === one.name && pane === one.pane && isSame;
    });

  async function end(record: BackendRecord, graceMs: number): Promise<void> {
    await endPane(tmuxOf(record), record, graceMs);
    records.end(record);
  }

  async function assertFree({ team, name }: SpawnSpec): Promise<void> {
    for (const record of recordsOf(team).filter((one) => one.name === name)) {
      if (starting.has(record.mark) || (await isAlive(record)))
        throw new TroupeError("name_taken", `${name} of ${team} runs already: choose another name`, { team, name });
      await end(record, graceMs);
    }
  }

  /** Adds a pane and starts the program in it, while no other pane is added. */
  async function place(begun: BackendRecord, { spec, launch, inside, took }: Placing): Promise<void> {
    const session = sessionNameOf(spec.team, resolve(deps.records));
    const others = await panesBeside(begun, inside ? undefined : session);
    const placing = { tmux: tmuxOf(begun), records, inside, session, others };
    const placed = await addPane(placing, begun);
    took(placed.record);
    const { record, left } = await startIn(placing, placed, spec, launch);
    took(record);
    if (left.length > 0)
      deps.warn(`${spec.name} has not got these variables, whose names no shell takes: ${left.join(", ")}`);
  }

  async function panesBeside({ team, server }: BackendRecord, session: string | undefined): Promise<readonly string[]> {
    const here = recordsOf(team).filter((one) => one.session === session && one.pane !== undefined);
    const same = here.filter((one) => !server || one.server?.process.startedAt === server.process.startedAt);
    const running = await Promise.all(same.map(isAlive));
    const panes = same.flatMap(({ pane }, index) => (running[index] && pane !== undefined ? [pane] : []));
    return panes.sort((a, b) => Number(b.slice(1)) - Number(a.slice(1)));
  }

  async function spawn(spec: SpawnSpec, signal: AbortSignal): Promise<Spawned> {
    signal.throwIfAborted();
    if (!programIn("tmux", environment["PATH"])) throw refused("is not there", { words: "ENOENT" });
    const inside = insideOf(environment);
    const server = inside && (await serverOf(inside));
    await assertFree(spec);
    const launch = deps.launch(spec);
    assertLaunch(launch);
    assertShort(launch);
    let record = records.begin({ ...spec, backend: "tmux", lead: deps.lead ?? (await thisProcess()) });
    starting.add(record.mark);
    try {
      if (server) record = records.amend(record, { server });
      await layout(() => {
        signal.throwIfAborted();
        const took = (next: BackendRecord) => {
          record = next;
        };
        return place(record, { spec, launch, inside, took });
      });
      await untilReady(deps, { tmux: tmuxOf(record), spec, record }, signal);
      record = records.amend(record, { isReady: true });
      return spawnedOf(record);
    } catch (error) {
      await end(record, graceMs).catch((fault: unknown) => deps.warn(messageOf(fault)));
      throw error;
    } finally {
      starting.delete(record.mark);
    }
  }

  return {
    name: "tmux",
    spawn,

    async *observe(one, signal) {
      const record = recordOf(one);
      const key = JSON.stringify([one.team, one.name, one.pane, one.process]);
      try {
        if (record && (await isAlive(record))) {
          yield { kind: "ready" };
          await untilEnded(record, signal);
        }
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      // The pane is looked at once: after that it goes.
      const looking = ends.get(key) ?? (record && lookAtEnd(record));
      if (looking) ends.set(key, looking);
      yield (await looking) ?? { kind: "ended", reason: "lost", detail: `${one.name} runs no more` };
    },

    async stop(one, patienceMs) {
      const record = recordOf(one);
      if (!record) return;
      stopped.add(record.mark);
      await end(record, patienceMs);
    },

    list: async (team) => (await runningOf(team)).map(spawnedOf),

    async recover(ref, members) {
      records.sweep();
      const lead = await thisProcess();
      const adopted: Spawned[] = [];
      const removed: Spawned[] = [];
      const mine = new Set((await runningOf(ref)).map(({ mark }) => mark));
      for (const record of recordsOf(ref.team)) {
        if (starting.has(record.mark) || (await isHeldElsewhere(record))) continue;
        if (mine.has(record.mark) && members.has(record.name)) {
          adopted.push(spawnedOf(records.amend(record, { lead })));
          continue;
        }
        if (record.isReady && (await isAlive(record))) removed.push(spawnedOf(record));
        await end(record, graceMs);
      }
      return { adopted, removed };
    },
  };

  async function lookAtEnd(record: BackendRecord): Promise<Ended> {
    const seen = await endOf(tmuxOf(record), record);
    await end(record, graceMs).catch((error: unknown) => deps.warn(messageOf(error)));
    return stopped.has(record.mark) ? { ...seen, reason: "shutdown" } : seen;
  }
}

/** The server of the lead's tmux, if it is there. */
async function serverOf({ socket, pid }: Inside) {
  const startedAt = await startOf(pid);
  if (startedAt !== undefined) return { socket, process: { pid, startedAt } };
  throw refused("added no pane", { words: `no server running: TMUX names process ${pid} at ${socket}` });
}

function spawnedOf({ backend, team, name, process, pane, session, server }: BackendRecord): Spawned {
  const attach = session === undefined ? undefined : `tmux -S ${quoted(server?.socket ?? "")} attach -t '=${session}'`;
  return { backend, team, name, process, pane, session, attach };
}

const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replace(/'/g, `'\\''`)}'`);
