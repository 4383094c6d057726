/** One goal: a ratio of two things measured in the same run, or a count. */
export interface Result {
  /** The median of the rounds. */
  readonly value: number;
  readonly goal: string;
  readonly holds: boolean;
  readonly rounds: readonly number[];
  /** The goal lies within the range of the rounds: the machine was too busy to tell. */
  readonly noisy: boolean;
}

/** Milliseconds of the quickest of a few runs: what the machine can do when nobody disturbs it. */
export function quickest(work: () => unknown, runs = 5): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run += 1) {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

/** Interleaved rounds of one ratio, after one that is thrown away. */
export function atMost(goal: number, round: () => number, rounds = 5): Result {
  round();
  const values = Array.from({ length: rounds }, round).map((value) => Math.round(value * 100) / 100);
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const noisy = (sorted[0] ?? 0) <= goal && goal <= (sorted.at(-1) ?? 0);
  return { value, goal: `<= ${goal}`, holds: value <= goal, rounds: values, noisy };
}
