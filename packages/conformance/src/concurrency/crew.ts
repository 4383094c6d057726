import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import type { CheckContext } from "../check.ts";
import { makeTeam } from "../checks/teams.ts";
import { checkFailure } from "../fault.ts";
import { kept } from "../run/kept.ts";
import type { Params, Proc, Reply } from "../target.ts";
import { type Places, placesOf } from "./documents.ts";

/** One member at work, in a process of its own. */
export interface CrewMember {
  readonly proc: Proc;
  readonly name: string;
}

export interface Crew {
  readonly workers: readonly CrewMember[];
  readonly places: Places;
  readonly team: string;
}

const crewSize = 8;

export interface CrewOptions {
  readonly size?: number;
  /** Members without a process. */
  readonly others?: readonly string[];
  /** False for a check that measures how long a call waits for a lock. */
  readonly isPatient?: boolean;
}

/** A team whose members w0, w1, … each have a process of the target. */
export async function makeCrew(
  context: CheckContext,
  { size = crewSize, others = [], isPatient = true }: CrewOptions = {},
): Promise<Crew> {
  const names = Array.from({ length: size }, (_, index) => `w${index}`);
  const { team } = await makeTeam(context, [...names, ...others]);
  const procs = await context.start(size);
  const workers = procs.map((proc, index) => ({
    proc: isPatient ? patient(context, proc) : proc,
    name: names[index] ?? "",
  }));
  return { team, places: placesOf(context), workers };
}

/** Retries calls that fail because another process holds the lock: in a crowd that is no error. */
export const patient = (context: CheckContext, proc: Proc): Proc => ({
  ...proc,
  call: (method, params) => kept(untilUnlocked(proc, method, params, context.scaled(30_000))),
});

/** All workers at once; the results in their order. */
export const together = <T>(
  { workers }: Pick<Crew, "workers">,
  work: (worker: CrewMember, index: number) => Promise<T>,
): Promise<readonly T[]> => kept(Promise.all(workers.map(work)));

/** Looks again and again while the work goes on, and lets the work go on between looks. */
export async function watching<T>(work: Promise<T>, look: () => void): Promise<T> {
  let isOver = false;
  const settled = kept(
    work.finally(() => {
      isOver = true;
    }),
  );
  while (!isOver) {
    for (const end = performance.now() + 1; performance.now() < end; ) look();
    await turn();
  }
  look();
  return settled;
}

/**
 * Retries while another process holds the lock; a target may answer at once, or wait as long as it
 * likes.
 */
export async function untilUnlocked(
  proc: Pick<Proc, "call">,
  method: string,
  params: Params,
  limitMs: number,
): Promise<Reply> {
  const end = performance.now() + limitMs;
  for (;;) {
    const reply = await proc.call(method, params);
    if (reply.outcome !== "fail" || reply.error.name !== "locked" || performance.now() > end) return reply;
    await pause(20);
  }
}

/** The result of a call that has to succeed within the limit. */
export async function goesAhead(
  proc: Pick<Proc, "call">,
  method: string,
  params: Params,
  limitMs: number,
  complaint: string,
): Promise<Readonly<Record<string, unknown>>> {
  const begin = performance.now();
  const reply = await untilUnlocked(proc, method, params, limitMs);
  const ms = Math.round(performance.now() - begin);
  if (reply.outcome === "ok" && ms <= limitMs) return reply.result;
  throw checkFailure(complaint, {
    expected: `a result within ${Math.round(limitMs)} ms`,
    actual: { reply, afterMs: ms },
    call: { method, params },
  });
}
