// What vitest's json report says, in one line.
import { readFileSync } from "node:fs";

/**
 * @typedef {object} Outcome
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {readonly string[]} notRun one line for each program a suite wanted and this machine does not have
 * @property {readonly string[]} problems why a run without a failed test has failed all the same
 */

/**
 * @typedef {object} TestFile
 * @property {string} [name]
 * @property {string} [status]
 * @property {readonly { status: string, ancestorTitles?: readonly string[] }[]} [assertionResults]
 */

/**
 * @param {string} path
 * @param {number} exitCode vitest's own
 * @returns {Outcome}
 */
export function readOutcome(path, exitCode) {
  try {
    return outcomeOf(JSON.parse(readFileSync(path, "utf8")), exitCode);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { passed: 0, failed: 1, skipped: 0, notRun: [], problems: [`vitest left no readable report: ${reason}`] };
  }
}

/**
 * Counts the tests. A file that could not be loaded counts as one failed test, and so does a run
 * that failed or ran nothing: the line never says `0 failed` of a run that is not green.
 * @param {{ testResults: readonly TestFile[] }} report
 * @param {number} exitCode
 * @returns {Outcome}
 */
export function outcomeOf(report, exitCode) {
  let [passed, failed, skipped] = [0, 0, 0];
  const notRun = new Set();
  for (const { status, assertionResults = [] } of report.testResults) {
    for (const test of assertionResults) {
      if (test.status === "passed") passed++;
      else if (test.status === "failed") failed++;
      else skipped++;
      for (const title of test.ancestorTitles ?? []) if (/^not run: /.test(title)) notRun.add(title);
    }
    if (status === "failed" && !assertionResults.some((test) => test.status === "failed")) failed++;
  }

  const problems = [];
  if (passed + failed + skipped === 0) problems.push("no test ran");
  else if (exitCode !== 0 && failed === 0)
    problems.push(`no test failed, and yet vitest ended with ${exitCode}: see above`);
  return { passed, failed: failed + problems.length, skipped, notRun: [...notRun].sort(), problems };
}

/** @param {Pick<Outcome, "passed" | "failed" | "skipped">} outcome */
export const lastLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
