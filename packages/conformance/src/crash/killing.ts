import { existsSync, lstatSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { CheckContext } from "../check.ts";
import { visibleLockOf } from "../concurrency/foreign-lock.ts";
import { checkFailure } from "../fault.ts";
import type { Params, Proc, Reply } from "../target.ts";

/** A call of a writer, with what it is known to have done. */
export interface Deed {
  readonly method: string;
  readonly params: Params;
  /** The document that it changes, under a lock. */
  readonly file?: string;
}

export interface Outcome extends Deed {
  readonly reply: Reply;
}

/** Waits for a time that timers are too coarse for. */
async function waitFor(ms: number): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end; ) await turn();
}

/**
 * Waits until a document is locked or the call is over, then for a fraction of a call's duration.
 */
async function waitInside(lock: string, isOver: () => boolean, ms: number): Promise<void> {
  while (!isOver() && !existsSync(lock)) await turn();
  for (const end = performance.now() + ms; performance.now() < end; );
}

/** The 95th percentile of the duration of the calls so far. */
function usualMs(context: CheckContext, methods: ReadonlySet<string>): number {
  const took = context.history
    .filter(({ op, ret }) => methods.has(op) && ret !== undefined)
    .map(({ call, ret = call }) => ret - call)
    .sort((a, b) => a - b);
  return took[Math.floor(took.length * 0.95)] ?? 5;
}

/**
 * Lets a process do one deed after the other and kills it in the middle of one, at a moment that
 * chance chooses: half of the time anywhere, half of the time while it holds the lock. The outcomes
 * of all; that of the last may be unknown.
 */
export async function killDuring(
  context: CheckContext,
  proc: Proc,
  deeds: readonly Deed[],
): Promise<readonly Outcome[]> {
  const usual = usualMs(context, new Set(deeds.map(({ method }) => method)));
  const last = Math.floor(context.random() * deeds.length);
  const outcomes: Outcome[] = [];
  for (const [index, deed] of deeds.slice(0, last + 1).entries()) {
    let isOver = false;
    const calling = proc.call(deed.method, deed.params).finally(() => {
      isOver = true;
    });
    calling.catch(() => {});
    if (index === last) {
      const lock = context.random() < 0.5 ? visibleLockOf(context.declaration, deed.file) : undefined;
      if (lock) await waitInside(lock, () => isOver, Math.min(usual, 5) * context.random() ** 3);
      else await waitFor(1.5 * usual * context.random());
      await proc.kill();
    }
    const reply = await calling;
    outcomes.push({ ...deed, reply });
    if (reply.outcome === "fail") {
      throw checkFailure(`${deed.method} did not succeed`, { expected: "a result", actual: reply, call: deed });
    }
  }
  return outcomes;
}

/**
 * Kills a process as soon as one of these documents is another: what it changes besides is not
 * written yet.
 */
export async function killAtFirstChange(proc: Proc, { method, params }: Deed, files: readonly string[]): Promise<void> {
  const before = files.map(versionOf);
  // A turn between two looks is long enough for another document to be written.
  const sees = () => {
    for (const end = performance.now() + 20; performance.now() < end; )
      if (files.some((file, at) => versionOf(file) !== before[at])) return true;
    return false;
  };
  let isOver = false;
  const calling = proc.call(method, params).finally(() => {
    isOver = true;
  });
  calling.catch(() => {});
  while (!isOver && !sees()) await turn();
  await proc.kill();
  await calling;
}

const versionOf = (path: string): string => {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return `${found?.ino} ${found?.mtimeNs} ${found?.size}`;
};

/** Processes that wait to be killed, so many as are asked for. */
export async function* victims(context: CheckContext, count: number): AsyncGenerator<Proc> {
  for (let rest = count; rest > 0; rest -= 8) yield* await context.start(Math.min(8, rest));
}

/** Whether a deed is known to be done. */
export const isDone = ({ reply }: Outcome): boolean => reply.outcome === "ok";

/** Every lock that lies there, by the name that the target declares or that is usual. */
export function locksLeft(context: CheckContext): readonly string[] {
  const declared = /^<file>(.+)$/.exec(context.declaration.quirks.lockPath ?? "")?.[1] ?? ".lock";
  const below = (directory: string): readonly string[] =>
    readdirSync(directory).flatMap((name) => {
      const path = join(directory, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      // The empty .lock beside the tasks is not a held lock.
      const isResting = name === ".lock" && stats?.isFile();
      const isLock = !isResting && (name.endsWith(declared) || /\.lock(\.|$)/.test(name));
      if (isLock) return [path];
      return stats?.isDirectory() ? below(path) : [];
    });
  return below(context.root);
}

/** Ages what dead processes left beyond the limit, instead of waiting; says what it was. */
export function ageLocks(context: CheckContext): readonly string[] {
  const { staleMs = 10_000 } = context.declaration.quirks;
  const then = new Date(Date.now() - staleMs - 1_000);
  const left = locksLeft(context);
  for (const path of left) utimesSync(path, then, then);
  return left;
}

/** The time the next writer may need to get past what a dead one left. */
export const recoveryMs = (context: CheckContext): number =>
  (context.declaration.quirks.staleMs ?? 10_000) + context.scaled(5_000);
