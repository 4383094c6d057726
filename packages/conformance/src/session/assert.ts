import { differences } from "../cases/match.ts";
import { checkFailure } from "../fault.ts";

/**
 * Fails the check where a value is other than expected, in the words of the cases that are data.
 */
export function assertMatches(what: string, actual: unknown, expected: unknown): void {
  const wrong = differences(expected, actual);
  if (wrong.length > 0) throw checkFailure(`${what}: ${wrong.join("; ")}`, { expected, actual });
}

/** The same for the keys of an object, in their order. */
export function assertKeys(what: string, actual: object, expected: readonly string[]): void {
  const keys = Object.keys(actual);
  if (keys.join() !== expected.join()) throw checkFailure(`${what} has other keys`, { expected, actual: keys });
}

export function assertThat(isSo: boolean, complaint: string, actual?: unknown): void {
  if (!isSo) throw checkFailure(complaint, { actual });
}
