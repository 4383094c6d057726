import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lastLine, outcomeOf, readOutcome } from "./report.mjs";

const file = (status: string, ...tests: readonly string[]) => ({
  status,
  assertionResults: tests.map((test) => ({ status: test, ancestorTitles: [] })),
});

test.each([
  ["passed and failed tests", [file("failed", "passed", "failed"), file("passed", "passed")], 1, "2 passed, 1 failed"],
  [
    "skipped tests, and those still to write",
    [file("passed", "passed", "skipped", "todo")],
    0,
    "1 passed, 0 failed, 2 skipped",
  ],
  ["a file that does not load, as one failure", [file("failed"), file("passed", "passed")], 1, "1 passed, 1 failed"],
  ["a run without a test, as one failure", [], 0, "0 passed, 1 failed"],
  ["a run that failed beside its tests, as one failure", [file("passed", "passed")], 1, "1 passed, 1 failed"],
] as const)("the last line counts %s", (_, testResults, exitCode, line) => {
  expect(lastLine(outcomeOf({ testResults }, exitCode))).toBe(line);
});

test("a suite that lacks its program is named once, however many tests it has", () => {
  const skipped = { status: "skipped", ancestorTitles: ["panes", "not run: tmux missing"] };
  const refused = { status: "skipped", ancestorTitles: ["not run: bwrap does not work here"] };
  const assertionResults = [skipped, refused, skipped];
  const { notRun } = outcomeOf({ testResults: [{ status: "passed", assertionResults }] }, 0);
  expect(notRun).toEqual(["not run: bwrap does not work here", "not run: tmux missing"]);
});

test.each([
  ["missing", undefined],
  ["cut short", '{"testResults": ['],
  ["not a report", "[]"],
])("a report that is %s fails the run and says so", (_, text) => {
  const dir = mkdtempSync(join(tmpdir(), "troupe-report-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const path = join(dir, "report.json");
  if (text !== undefined) writeFileSync(path, text);

  const outcome = readOutcome(path, 0);
  expect(lastLine(outcome)).toBe("0 passed, 1 failed");
  expect(outcome.problems).toEqual([expect.stringContaining("no readable report")]);
});
