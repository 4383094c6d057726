/** Pieces of work by name: each runs alone, and once more where it was asked for meanwhile. */
export interface Turns {
  ask(name: string): void;
  /** Resolves when nothing is asked for any more. */
  settled(): Promise<void>;
}

/** So many run at a time. */
const width = 4;

/** Runs what is asked for until the signal fires. */
export function openTurns(work: (name: string) => Promise<void>, signal: AbortSignal): Turns {
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
    await work(name);
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
