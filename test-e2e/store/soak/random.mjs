/**
 * Numbers from 0 to 1 that a seed decides, so that a run's choices can be made again.
 * @param {number} seed
 * @returns {() => number}
 */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * One of the things, each as likely as its weight.
 * @param {() => number} random
 * @param {Record<string, number>} weights
 */
export function pick(random, weights) {
  let left = random() * Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  for (const [thing, weight] of Object.entries(weights)) {
    left -= weight;
    if (left < 0) return thing;
  }
  return Object.keys(weights)[0];
}
