import { asleep } from "@troupe/store";

/** Pieces of work by name: each runs alone, and once more where it was asked for meanwhile. */
export interface Turns {
  ask(name: string): void;
  /** Resolves when nothing is asked for any more. */
  settled(): Promise<void>;
}

/** After a failure it is tried again so much later. */
const retryMs = 250;

/** So many run at a time. */
const width = 4;

/** Runs what is asked for; `work` says whether it has to be tried again. */
export function openTurns(work: (name: string) => Promise<boolean>, signal: AbortSignal): Turns {
  const asked = new Set<string>();
  const running = new Set<string>();
  let waiting: (() => void)[] = [];

  function begin(): void {
    for (const name of asked) {
      if (running.size >= width || signal.aborted) break;
      if (running.has(name)) continue;
      asked.delete(name);
      running.add(name);
      void run(name);
    }
    if (running.size > 0 || (asked.size > 0 && !signal.aborted)) return;
    for (const resume of waiting) resume();
    waiting = [];
  }

  async function run(name: string): Promise<void> {
    const isDone = await work(name);
    if (!isDone) {
      await asleep(retryMs, signal);
      asked.add(name);
    }
    running.delete(name);
    begin();
  }

  return {
    ask(name) {
      asked.add(name);
      begin();
    },
    settled: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        begin();
      }),
  };
}
