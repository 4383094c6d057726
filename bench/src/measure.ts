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

/** The result in words. */
export const verdictOf = ({ holds, noisy }: Result): string =>
  `${holds ? "holds" : "falls short"}${noisy ? ", noisy" : ""}`;

export const atMost = (goal: number, rounds: readonly number[]): Result =>
  judge(`<= ${goal}`, (value) => value <= goal, goal, rounds);
export const atLeast = (goal: number, rounds: readonly number[]): Result =>
  judge(`>= ${goal}`, (value) => value >= goal, goal, rounds);

/** Interleaved rounds of one measurement, after one that is thrown away. */
export async function roundsOf(round: () => number | Promise<number>, rounds = 5): Promise<number[]> {
  await round();
  const values: number[] = [];
  for (let done = 0; done < rounds; done += 1) values.push(await round());
  return values;
}

/** So often a work is done before the next has its turn: the first times find nothing warm. */
const turn = 20;

/** The median milliseconds of each of these works, which are done by turns. */
export async function mediansOf<K extends string>(
  works: Readonly<Record<K, () => unknown>>,
  times: number,
): Promise<Record<K, number>> {
  const all = Object.entries<() => unknown>(works).map(([kind, work]) => ({ kind, work, costs: [] as number[] }));
  for (let turns = 0; turns < times / turn; turns += 1) {
    for (const { work, costs } of all) {
      for (let done = 0; done < turn; done += 1) {
        const start = performance.now();
        await work();
        costs.push(performance.now() - start);
      }
    }
  }
  const median = (costs: number[]) => costs.sort((a, b) => a - b)[Math.floor(costs.length / 2)] ?? Number.NaN;
  return Object.fromEntries(all.map(({ kind, costs }) => [kind, median(costs)])) as Record<K, number>;
}

function judge(text: string, holds: (value: number) => boolean, goal: number, rounds: readonly number[]): Result {
  const values = rounds.map((value) => Math.round(value * 100) / 100);
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const noisy = values.length > 1 && (sorted[0] ?? 0) < goal && goal < (sorted.at(-1) ?? 0);
  return { value, goal: text, holds: holds(value), rounds: values, noisy };
}
