import { createHash } from "node:crypto";

/** Derives the seed of a check from the run's seed, so that it does not depend on other checks. */
export const seedOf = (seed: number, name: string): number =>
  createHash("sha256").update(`${seed}:${name}`).digest().readUInt32LE(0);

/** Numbers in [0, 1), always the same ones for one seed. */
export function chanceFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
