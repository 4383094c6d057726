import { setTimeout as delay, setImmediate as nextRound } from "node:timers/promises";

/**
 * Longer than a busy machine needs, and shorter than vitest's limit, whose message names nothing.
 */
const patienceMs = 60_000;

/** Awaits what a test waits for; fails with its name if it does not come. */
export async function awaited<T>(what: string, coming: Promise<T>, limitMs = patienceMs): Promise<T> {
  const over = new AbortController();
  const late = delay(limitMs, undefined, { signal: over.signal }).then(() => {
    throw new Error(`waited ${limitMs / 1_000} s for ${what}, which did not come`);
  });
  try {
    return await Promise.race([coming, late]);
  } finally {
    over.abort();
  }
}

/**
 * Looks in each round of the event loop, and after a few with a rest between, until there is
 * something; fails as `awaited` does.
 */
export async function untilSeen<T>(
  what: string,
  look: () => T | Promise<T>,
  limitMs = patienceMs,
): Promise<Exclude<T, undefined | false>> {
  let isOver = false;
  const looking = async (): Promise<Exclude<T, undefined | false>> => {
    for (let looks = 1; ; looks += 1) {
      const found = await look();
      if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>;
      await (looks < 50 ? nextRound() : delay(5));
      if (isOver) throw new Error("nobody waits any more");
    }
  };
  return awaited(what, looking(), limitMs).finally(() => {
    isOver = true;
  });
}
