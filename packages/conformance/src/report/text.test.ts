import { describe, expect, test } from "vitest";
import { hostile } from "../../test/hostile.ts";
import { check, longReport, mixed, report, reportSaying } from "../../test/sample-report.ts";
import { text } from "./text.ts";

const plainly = (lines: Parameters<typeof text>[0], width = 80) => text(lines, { width, hasColor: false });
/** Without the breaks that the width makes. */
const joined = (shown: string) => shown.replace(/\s+/g, " ");

test("it begins with what was judged, by what, and what came out", () => {
  const shown = plainly(report(mixed));
  expect(shown.split("\n").slice(0, 2)).toEqual([
    "Acme Teams 1.4.0: agent-team protocol 2026-02",
    expect.stringContaining("Claims L2, meets no level: 1 MUST clause is missed, 2 MUST clauses undecided."),
  ]);
  for (const part of ["acme-teams adapter", "4711", "268 clauses, sha256", "2026-03-01", "@troupe/conformance 0.1.0"]) {
    expect(shown).toContain(part);
  }
});

test("failures come first, then what is the suite's fault, warnings, and what could not be tested", () => {
  const shown = plainly(report(mixed));
  const places = ["Failed (1)", "Errors of the suite (1)", "Warnings (1)", "Untestable (1)", "Levels"];
  expect(places.map((place) => shown.indexOf(`\n${place}`))).toEqual(
    places.map((place) => shown.indexOf(`\n${place}`)).toSorted((one, other) => one - other),
  );
  expect(shown).not.toContain("\nKnown failures");
});

test("a failure says what was wrong and where, the clause in words, both values, and how to see it again", () => {
  const shown = plainly(report(mixed));
  expect(shown.slice(shown.indexOf("Failed"), shown.indexOf("Errors"))).toBe(
    [
      "Failed (1). A MUST is missed.",
      "",
      "  TSK-DEP-03/a  a new edge is written on both sides",
      "    why         tasks/t/1.json /blocks: / is [], expected 1 elements",
      "    at          tasks/t/1.json /blocks",
      "    clause      ATP-TSK-031 (MUST, L1) …and b into a.blocks in the same",
      "                operation",
      '    expected    ["2"]',
      "    actual      []",
      "    again       --revision 2026-02 --seed 4711 --only TSK-DEP-03/a",
      "",
      "",
    ].join("\n"),
  );
});

test("levels are counted, and whether they are met is said", () => {
  const shown = joined(plainly(report(mixed)));
  expect(shown).toMatch(
    /L1 not met \(not shown to keep ATP-TSK-031\): 1 failed, 1 warned, 1 passed, 1 not applicable, \d+ clauses not checked/,
  );
  expect(shown).toContain("3 checks executed in 12.3 s. Exit code 1: something failed that the baseline does not name");
  expect(joined(plainly(report([check()])))).toContain("L1 met: 1 passed");
});

test("an incomplete report is said to be, before all else, and knows no level", () => {
  const shown = joined(plainly(report(mixed).slice(0, -1)));
  expect(shown.indexOf("! This report is incomplete")).toBeLessThan(shown.indexOf("Failed"));
  expect(shown).toContain("L1 not known");
  expect(plainly([])).toContain("Nothing was reported.");
});

test("a graded directory is told finding by finding, and not without end", () => {
  const findings = Array.from({ length: 23 }, (_, index) => ({ at: `tasks/t/${index}.json`, message: "no id" }));
  const shown = plainly(report([check({ verdict: "fail", evidence: { findings } })], { mode: "grade" }));
  expect(shown).toContain("tasks/t/19.json: no id");
  expect(shown).not.toContain("tasks/t/20.json");
  expect(shown).toContain("and 3 more");
  expect(shown).not.toContain("--seed");
});

test("the last lines that a target printed before it died are shown", () => {
  const evidence = { stderr: "one\ntwo\nthree\nfour\npanicked\u001b[0m\n" };
  expect(plainly(report([check({ verdict: "fail", evidence })]))).toContain("two / three / four / panicked\\u001b[0m");
});

describe("the width is kept", () => {
  test.each([20, 40, 80, 200])("%i columns", (width) => {
    const widest = Math.max(
      ...plainly(report(mixed), width)
        .split("\n")
        .map((line) => line.length),
    );
    expect(widest).toBeLessThanOrEqual(width);
    expect(widest).toBeGreaterThan(width / 4);
  });
});

test("colours come only where they are asked for", () => {
  expect(plainly(report(mixed))).not.toContain("\u001b");
  const colored = text(report(mixed), { width: 80, hasColor: true });
  expect(colored).toContain("\u001b[31m");
  expect(colored.replace(/\u001b\[\d+m/g, "")).toBe(plainly(report(mixed)));
});

test.each(hostile)("a target steers no terminal and forges no line: %s", (_, word) => {
  const shown = plainly(reportSaying(word));
  expect(shown).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u2028\u202e\u2066\ufeff]/);
  expect(shown.split("\n").filter((line) => line.startsWith("Failed"))).toHaveLength(1);
});

test("thousands of checks are told, each failure once", () => {
  expect(plainly(longReport(10_000)).match(/^ {2}LONG-/gm)).toHaveLength(1_000);
});
