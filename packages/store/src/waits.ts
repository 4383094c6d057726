import { setTimeout as delay } from "node:timers/promises";

/**
 * Settles as the first of several waits does; the signal that all of them are given then fires, so
 * that none of the others goes on.
 */
export async function firstOf<T>(
  signal: AbortSignal,
  ...waits: readonly ((signal: AbortSignal) => Promise<T>)[]
): Promise<T> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  try {
    return await Promise.race(waits.map(async (wait) => wait(either)));
  } finally {
    over.abort();
  }
}

/**
 * Runs one piece of work at a time, in the order of asking; one that fails holds up none behind it.
 */
export function inTurn(): <T>(work: () => T | Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}

/**
 * Fires after this time, which keeps no process alive. Node 20 collects an `AbortSignal.timeout`
 * that only a combined signal refers to: it never fires then.
 */
export function timeLimit(ms: number): AbortSignal {
  const over = new AbortController();
  setTimeout(() => over.abort(new DOMException(`${ms} ms are over`, "TimeoutError")), ms).unref();
  return over.signal;
}

/** Resolves when the signal has fired. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Resolves after this time, or as soon as the signal fires. */
export const asleep = async (ms: number, signal: AbortSignal): Promise<void> =>
  void (await delay(ms, undefined, { signal }).catch(() => {}));
