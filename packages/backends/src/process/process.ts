import { statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type Held, type ProcessEnd, startHeld, startOf } from "@troupe/process";
import { messageOf, TroupeError } from "@troupe/protocol";
import { aborted, firstOf } from "@troupe/store";
import type { Backend, Observation, Spawned, TeamRef } from "@troupe/team";
import { assertLaunch, type BackendDeps, type SpawnSpec } from "../launch.ts";
import { type BackendRecord, markVariable, openRecords } from "../records.ts";
import { endAll, isHeldElsewhere, isRunning, keyOf, type Process, thisProcess } from "../running.ts";
import { lastLines } from "./log.ts";

export interface ProcessBackendDeps extends BackendDeps {
  /** Of a backend that runs another program as this one does. */
  readonly name?: string | undefined;
  /** How much of a teammate's output is kept at least, in a file of its own. */
  readonly logBytes?: number | undefined;
}

type Started = BackendRecord & { readonly process: Process };
type Ended = Extract<Observation, { kind: "ended" }>;
type How = Pick<Ended, "reason" | "detail">;

/** A teammate whose end this process waits for. */
interface Watched {
  readonly record: Started;
  /** Resolves when nothing of it runs any more and its record is gone. */
  readonly over: Promise<Ended>;
  isOver: boolean;
  isStopped: boolean;
}

const usualLogBytes = 4 << 20;
/** How long what a teammate left behind may take to end, so that its end is told in time. */
const leftMs = 500;
const lookMs = 250;
/** Time to end for what has no member any more, or did not become ready. */
const undoMs = 5_000;

/** Teammates as processes of their own, without a screen; they outlive their lead. */
export function processBackend(deps: ProcessBackendDeps): Backend {
  const name = deps.name ?? "process";
  const records = openRecords(deps.records);
  const watched = new Map<string, Watched>();
  /** Marks of the teammates that this process is about to start. */
  const starting = new Set<string>();
  const told = new Set<string>();
  const placeOf = ({ team, name: member, process }: Started): Spawned => ({
    backend: name,
    team,
    name: member,
    process,
  });

  function recordsOf(team?: string): readonly BackendRecord[] {
    const { records: all, problems } = records.all();
    for (const problem of problems.filter((one) => !told.has(one))) deps.warn(problem);
    for (const problem of problems) told.add(problem);
    return all.filter((record) => record.backend === name && (team === undefined || record.team === team));
  }
  const recordOf = (process: Process): Started | undefined =>
    recordsOf()
      .filter(isStarted)
      .find((record) => keyOf(record.process) === keyOf(process));

  /** Once its process has ended: ends what it left, reads its last words, and forgets it. */
  async function settle(record: Started, { reason, detail }: How): Promise<Ended> {
    await endAll(record, leftMs).catch((error: unknown) => deps.warn(messageOf(error)));
    const lines = lastLines(records.file(record, "log"));
    records.end(record);
    const one = watched.get(keyOf(record.process));
    if (one) one.isOver = true;
    return { kind: "ended", reason: one?.isStopped ? "shutdown" : reason, detail: [detail, ...lines].join("\n") };
  }

  function watch(record: Started, end: Promise<How>): Watched {
    const over = end.then((how) => settle(record, how));
    const one: Watched = { record, over, isOver: false, isStopped: false };
    watched.set(keyOf(record.process), one);
    return one;
  }

  /** One that another process started, to which alone it is told how it ended. */
  async function watchAdopted(record: Started): Promise<Watched | undefined> {
    if (!(await isRunning(record.process))) return undefined;
    const gone = async (): Promise<How> => {
      while (await isRunning(record.process)) await delay(lookMs, undefined, { ref: false });
      return { reason: "lost", detail: `${record.name} runs no more; an earlier lead had started it` };
    };
    return watched.get(keyOf(record.process)) ?? watch(record, gone());
  }

  async function noted(spec: SpawnSpec, record: BackendRecord, { pid, ended }: Held): Promise<Started> {
    const startedAt = pid === undefined ? undefined : await startOf(pid);
    if (pid === undefined || startedAt === undefined) throw failed(spec, howOf(await kept(ended)).detail);
    const process = { pid, startedAt };
    return { ...records.amend(record, { process }), process };
  }

  async function start(spec: SpawnSpec, record: BackendRecord, signal: AbortSignal): Promise<Spawned> {
    const { file: program, args, environment: given } = deps.launch(spec);
    const environment = { ...given, [markVariable]: record.mark };
    const log = records.file(record, "log");
    const logBytes = deps.logBytes ?? usualLogBytes;
    const held = startHeld({ program, args, cwd: spec.cwd, environment, log, logBytes });
    const begun = await noted(spec, record, held).catch((error: unknown) => {
      held.drop();
      throw error;
    });
    const one = watch(begun, held.ended.then(howOf));
    held.letGo();
    await firstOf(
      signal,
      (over) => deps.ready(spec, over),
      async () => {
        throw failed(spec, (await one.over).detail);
      },
      async (over) => {
        await delay(deps.readyMs, undefined, { signal: over });
        throw failed(spec, [`it was not ready within ${deps.readyMs} ms`, ...lastLines(log)].join("\n"));
      },
      (over) => firing(over),
    );
    if (one.isOver) throw failed(spec, (await one.over).detail);
    records.amend(begun, { isReady: true });
    return placeOf(begun);
  }

  /** Nothing of it runs, and nothing tells of it, when this resolves. */
  async function undo(record: BackendRecord): Promise<void> {
    const one = [...watched.values()].find(({ record: { mark } }) => mark === record.mark);
    if (one) one.isStopped = true;
    await endAll(one?.record ?? record, undoMs);
    records.end(record);
  }

  return {
    name,

    async spawn(spec, signal) {
      signal.throwIfAborted();
      assertLaunch(deps.launch(spec));
      assertDirectory(spec.cwd);
      const { team, name: member } = spec;
      for (const { name: other, process } of recordsOf(team))
        if (other === member && process && (await isRunning(process))) throw taken(spec, process);
      const record = records.begin({ ...spec, backend: name, lead: deps.lead ?? (await thisProcess()) });
      starting.add(record.mark);
      try {
        return await start(spec, record, signal);
      } catch (error) {
        await undo(record).catch((left: unknown) => deps.warn(messageOf(left)));
        throw error;
      } finally {
        starting.delete(record.mark);
      }
    },

    async *observe({ process, name: member }, signal) {
      const record = process && recordOf(process);
      const one = (process && watched.get(keyOf(process))) ?? (record && (await watchAdopted(record)));
      if (!one) {
        yield { kind: "ended", reason: "lost", detail: `${member} runs no more` };
        return;
      }
      if (!one.isOver) yield { kind: "ready" };
      const end = await kept(firstOf<Ended | undefined>(signal, () => one.over, silent));
      if (end) yield end;
    },

    async stop({ process }, graceMs) {
      if (!process) return;
      const one = watched.get(keyOf(process));
      if (one) one.isStopped = true;
      const record = recordOf(process);
      await endAll({ mark: record?.mark, process }, graceMs);
      // The end of a child is told to this process, which may be about to read its last words.
      if (one && (await kept(one.over))) return;
      if (record) records.end(record);
    },

    async list(ref) {
      const all = recordsOf(ref.team).filter(isStarted).filter(isOf(ref));
      const running = await Promise.all(all.map(({ process }) => isRunning(process)));
      return all.filter((_, at) => running[at]).map(placeOf);
    },

    async recover(ref, members) {
      const lead = await thisProcess();
      const adopted: Spawned[] = [];
      const removed: Spawned[] = [];
      const take = async (record: BackendRecord) => {
        if (await isHeldElsewhere(record)) return;
        const isAlive = isStarted(record) && (await isRunning(record.process));
        if (isAlive && record.isReady && isOf(ref)(record) && members.has(record.name)) {
          const mine = { ...records.amend(record, { lead }), process: record.process };
          // It may have ended since it was looked at.
          if (await watchAdopted(mine)) return void adopted.push(placeOf(mine));
        }
        await undo(record);
        if (isAlive) removed.push(placeOf(record));
      };
      await Promise.all(
        recordsOf(ref.team)
          .filter(({ mark }) => !starting.has(mark))
          .map(take),
      );
      return { adopted, removed };
    },
  };
}

const isOf =
  ({ teamCreatedAt }: TeamRef) =>
  (record: BackendRecord): boolean =>
    record.teamCreatedAt === teamCreatedAt;
const isStarted = (record: BackendRecord): record is Started => record.process !== undefined;

function howOf({ code, signal, fault }: Omit<ProcessEnd, "left">): How {
  if (fault !== undefined) return { reason: "exit", detail: `could not be started: ${fault}` };
  if (signal !== null) return { reason: "killed", detail: `was killed by ${signal}` };
  return { reason: "exit", detail: `ended with exit code ${code}` };
}

/** Waits in a process that nothing else keeps from ending. */
async function kept<T>(wait: Promise<T>): Promise<T> {
  const hold = setInterval(() => {}, 60_000);
  return await wait.finally(() => clearInterval(hold));
}

const silent = (signal: AbortSignal): Promise<undefined> => aborted(signal).then(() => undefined);
const firing = (signal: AbortSignal): Promise<never> => aborted(signal).then(() => Promise.reject(signal.reason));

function assertDirectory(cwd: string): void {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return;
  const message = `${JSON.stringify(cwd)} is no directory: a teammate needs one to work in`;
  throw new TroupeError("arguments_invalid", message, { cwd });
}

const failed = ({ name, team }: SpawnSpec, why: string): TroupeError =>
  new TroupeError("teammate_failed", `${name} of ${team} did not become ready: ${why}`, { team, name });
const taken = ({ name, team }: SpawnSpec, { pid }: Process): TroupeError =>
  new TroupeError("name_taken", `${name} of ${team} runs already as process ${pid}: stop it first`, {
    team,
    name,
    pid,
  });
