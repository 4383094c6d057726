import { randomUUID } from "node:crypto";
import { EventEmitter, on } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { layoutOf, messageOf, TroupeError } from "@troupe/protocol";
import { publishAlone, readNamedFile } from "@troupe/store/files";
import type { Backend, Observation, Spawned, TeamRef } from "@troupe/team";
import type { SpawnSpec } from "../launch.ts";
import { type BackendRecord, openRecords } from "../records.ts";
import { isHeldElsewhere, thisProcess } from "../running.ts";
import { asTeammate } from "./identity.ts";

/** A session at work as a teammate. */
export interface TeammateSession {
  /** Works turn after turn, step by step, until the signal fires or it has agreed to end. */
  attendTeam(signal: AbortSignal): AsyncIterable<unknown>;
  /** Ends what it started. */
  close(): Promise<void>;
}

/** What a teammate in the process of its lead is opened with. */
export interface Opening extends SpawnSpec {
  /** Of its own session; the journal of an earlier process is gone on with under it. */
  readonly sessionId: string;
  /** Tells what it does now. */
  note(kind: "working" | "idle" | "needs_input"): void;
}

export interface InProcessDeps {
  /** The agents' own directory. */
  readonly root: string;
  /** A directory of Troupe's own, such as `<root>/troupe/backends`. */
  readonly records: string;
  open(opening: Opening): Promise<TeammateSession>;
  /** Told of records that cannot be read. */
  warn(message: string): void;
}

interface Begun {
  readonly one: Spawned;
  readonly teamCreatedAt: number;
  readonly stop: AbortController;
  readonly seen: EventEmitter<{ seen: [Observation] }>;
  last: Observation;
}
interface Running extends Begun {
  /** Resolves when nothing of it runs any more. */
  readonly over: Promise<Observation>;
}

/** What one teammate does without a pause before the others have their turn. */
const turnMs = 5;

/**
 * Teammates as sessions in the process of their lead. They end with it, and a lead that recovers
 * opens them again where their journals stop.
 */
export function inProcessBackend({ root, records: directory, open, warn }: InProcessDeps): Backend {
  const records = openRecords(directory);
  const running = new Map<string, Running>();
  const taken = new Set<string>();
  const ends = new WeakMap<Spawned, Observation>();
  const keyOf = ({ team, name }: Pick<Spawned, "team" | "name">) => JSON.stringify([team, name]);

  /**
   * Never rejects, and gives the others their turn now and then: a conversation may go on without a
   * pause.
   */
  async function work(session: TeammateSession, entry: Begun): Promise<Observation> {
    const { name } = entry.one;
    let end = ended("shutdown", `${name} has ended`);
    try {
      let since = performance.now();
      for await (const _ of session.attendTeam(entry.stop.signal)) {
        if (performance.now() - since < turnMs) continue;
        await new Promise(setImmediate);
        since = performance.now();
      }
    } catch (error) {
      end = ended("exit", `${name} ended with an error: ${messageOf(error)}`);
    }
    try {
      await session.close();
    } catch (error) {
      end = ended("exit", `${name} has ended, and what it started may run on: ${messageOf(error)}`);
    }
    return end;
  }

  /** Opens the session under a record, and sets it to work. */
  async function begin(record: BackendRecord, spec: SpawnSpec, signal: AbortSignal): Promise<Spawned> {
    const { team, teamCreatedAt, name, session: sessionId = "" } = record;
    const key = keyOf(record);
    const one: Spawned = { backend, team, name, session: sessionId };
    const entry: Begun = {
      one,
      teamCreatedAt,
      stop: new AbortController(),
      seen: new EventEmitter(),
      last: { kind: "ready" },
    };
    const note: Opening["note"] = (kind) => {
      if (kind !== entry.last.kind && entry.last.kind !== "ended") notice(entry, { kind });
    };
    const agentId = `${name}@${team}`;
    const identity = { agentId, agentName: name, teamName: team, taskDir: layoutOf(root).team(team).tasks };
    return asTeammate(identity, async () => {
      const session = await open({ ...spec, sessionId, note });
      if (signal.aborted) {
        await session.close();
        signal.throwIfAborted();
      }
      const isReady = records.amend(record, { isReady: true });
      const over = work(session, entry).then((end) => {
        running.delete(key);
        taken.delete(key);
        records.end(isReady);
        ends.set(one, end);
        notice(entry, end);
        return end;
      });
      running.set(key, Object.assign(entry, { over }));
      return one;
    });
  }

  async function spawn(spec: SpawnSpec, signal: AbortSignal): Promise<Spawned> {
    signal.throwIfAborted();
    const { team, name } = spec;
    const key = keyOf(spec);
    if (taken.has(key))
      throw new TroupeError("name_taken", `${name} of ${team} runs already: choose another name`, { team, name });
    taken.add(key);
    let record = records.begin({ ...spec, backend, lead: await thisProcess() });
    try {
      publishAlone(records.file(record, specExtension), JSON.stringify(spec));
      record = records.amend(record, { session: randomUUID() });
      return await begin(record, spec, signal);
    } catch (error) {
      taken.delete(key);
      records.end(record);
      throw error;
    }
  }

  async function stop(one: Spawned, graceMs: number): Promise<void> {
    const entry = running.get(keyOf(one));
    if (entry?.one !== one) return;
    entry.stop.abort();
    if (await Promise.race([entry.over, sleep(graceMs, undefined, { ref: false })])) return;
    const message = `${one.name} has not ended within ${graceMs} ms, and shares this process: it ends with its lead`;
    throw new TroupeError("team_active", message, { team: one.team, name: one.name });
  }

  const ofName = (team: string) => [...running.values()].filter(({ one }) => one.team === team);
  const ofTeam = ({ team, teamCreatedAt }: TeamRef) =>
    ofName(team).flatMap((entry) => (entry.teamCreatedAt === teamCreatedAt ? entry.one : []));

  /** Opens one that ended with an earlier lead, or undoes what that lead had begun. */
  async function reopen(
    record: BackendRecord,
    { teamCreatedAt }: TeamRef,
    members: ReadonlySet<string>,
  ): Promise<void> {
    const { team, name } = record;
    if (taken.has(keyOf(record)) || (await isHeldElsewhere(record))) return;
    if (!record.isReady || record.teamCreatedAt !== teamCreatedAt || !members.has(name)) return records.end(record);
    taken.add(keyOf(record));
    try {
      const spec = JSON.parse(Buffer.from(readNamedFile(records.file(record, specExtension))).toString("utf8"));
      const mine = records.amend(record, { lead: await thisProcess() });
      await begin(mine, spec, new AbortController().signal);
    } catch (error) {
      taken.delete(keyOf(record));
      warn(`${name} of ${team} could not go on: ${messageOf(error)}`);
    }
  }

  return {
    name: backend,
    tellsPrompt: true,
    spawn,
    stop,
    list: async (ref) => ofTeam(ref),

    async *observe(one, signal) {
      const entry = running.get(keyOf(one));
      if (entry?.one !== one) {
        yield ends.get(one) ?? ended("exit", `${one.name} runs no more`);
        return;
      }
      try {
        const later = on(entry.seen, "seen", { signal });
        yield entry.last;
        for await (const [observation] of later) {
          yield observation;
          if (observation.kind === "ended") return;
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },

    async recover(ref, members) {
      const { team } = ref;
      const kept = ofTeam(ref).filter(({ name }) => members.has(name));
      const removed = ofName(team).flatMap(({ one }) => (kept.includes(one) ? [] : one));
      await Promise.all(removed.map((one) => stop(one, graceMs)));
      const { records: left, problems } = records.all();
      for (const problem of problems) warn(problem);
      const mine = left.filter((record) => record.backend === backend && record.team === team);
      for (const record of mine) await reopen(record, ref, members);
      return { adopted: ofTeam(ref), removed };
    },
  };
}

const backend = "in-process";
const specExtension = "spec";

/** Time for one that has no member any more to end. */
const graceMs = 5_000;

const ended = (reason: "shutdown" | "exit", detail: string): Observation => ({ kind: "ended", reason, detail });

function notice(entry: Begun, observation: Observation): void {
  entry.last = observation;
  entry.seen.emit("seen", observation);
}
