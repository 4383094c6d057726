/** Microseconds of the clock that all processes share. */
export const nowUs = () => Number(process.hrtime.bigint() / 1_000n);

/**
 * Does one thing and says, in a line of JSON, what was asked, when, and how it ended.
 * @template T
 * @param {string} input
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function stamped(input, work) {
  const call = nowUs();
  const output = await work();
  process.stdout.write(`${JSON.stringify({ call, done: nowUs(), input, output: output ?? null })}\n`);
  return output;
}
