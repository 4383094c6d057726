import { setTimeout as delay } from "node:timers/promises";

/** The clock of the server. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Resolves after so many milliseconds; rejects when the signal is aborted first. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export const realClock: Clock = {
  now: () => Date.now(),
  wait: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
};

/** A clock that stands still until it is advanced. */
export interface VirtualClock extends Clock {
  /** Advances the time at once and resolves the waits that end by then, in order. */
  advance(ms: number): void;
  /** The number of pending waits. */
  readonly waiting: number;
  /** Resolves when so many wait: what they wait for is then worth advancing to. */
  waited(count: number): Promise<void>;
}

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

export function createVirtualClock(start = 0): VirtualClock {
  let time = start;
  const sleepers = new Set<Sleeper>();
  const watchers = new Set<{ readonly count: number; readonly wake: () => void }>();
  return {
    now: () => time,
    wait: (ms, signal) =>
      new Promise<void>((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        if (ms <= 0) return resolve();
        const sleeper = { due: time + ms, wake: () => settle(resolve) };
        const giveUp = () => settle(() => reject(signal?.reason));
        const settle = (end: () => void) => {
          sleepers.delete(sleeper);
          signal?.removeEventListener("abort", giveUp);
          end();
        };
        sleepers.add(sleeper);
        for (const watcher of watchers) {
          if (sleepers.size < watcher.count) continue;
          watchers.delete(watcher);
          watcher.wake();
        }
        signal?.addEventListener("abort", giveUp, { once: true });
      }),
    advance(ms) {
      time += ms;
      const due = [...sleepers].filter((sleeper) => sleeper.due <= time).sort((a, b) => a.due - b.due);
      for (const sleeper of due) sleeper.wake();
    },
    waited: (count) =>
      new Promise((wake) => {
        if (sleepers.size >= count) wake();
        else watchers.add({ count, wake });
      }),
    get waiting() {
      return sleepers.size;
    },
  };
}
