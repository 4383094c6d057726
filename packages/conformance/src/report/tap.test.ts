import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { hostile } from "../../test/hostile.ts";
import { check, longReport, mixed, report, reportSaying } from "../../test/sample-report.ts";
import type { ReportLine } from "../result.ts";
import { tap } from "./tap.ts";

interface Point {
  readonly isOk: boolean;
  readonly description: string;
  readonly directive: string | undefined;
  diagnosis?: Record<string, unknown>;
}

/**
 * Reads as TAP 14 has it: what is neither point, block, plan, comment nor a bail-out is an error.
 */
function read(text: string) {
  const [version, ...lines] = text.trimEnd().split("\n");
  expect(version).toBe("TAP version 14");
  const points: Point[] = [];
  const found = { points, plan: undefined as string | undefined, bail: undefined as string | undefined };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const point = /^(not )?ok (\d+) - ((?:[^\\#]|\\.)*?)(?: # (.*))?$/.exec(line);
    if (point) {
      expect(Number(point[2])).toBe(points.length + 1);
      const description = (point[3] ?? "").replace(/\\([\\#])/g, "$1");
      points.push({ isOk: !point[1], description, directive: point[4] });
    } else if (line === "  ---") {
      const end = lines.indexOf("  ...", at);
      const block = lines.slice(at + 1, end);
      expect(block.filter((inner) => !inner.startsWith("  ") || /^\s*(\.\.\.|---)\s*$/.test(inner))).toEqual([]);
      Object.assign(points.at(-1) ?? {}, { diagnosis: parse(block.map((inner) => inner.slice(2)).join("\n")) });
      at = end;
    } else if (/^1\.\.\d+/.test(line)) found.plan = line;
    else if (line.startsWith("Bail out!")) found.bail = line;
    else if (!line.startsWith("#")) throw new Error(`not TAP: ${line}`);
  }
  return found;
}

test("every check is a point, and the plan counts them", () => {
  const { points, plan, bail } = read(tap(report(mixed)));
  expect(points.map(({ isOk }) => isOk)).toEqual([true, false, false, true, true, false]);
  expect(points[0]?.description).toBe("TSK-ID/a: ids of tasks count from 1 as text");
  expect([plan, bail]).toEqual(["1..6", undefined]);
});

describe("directives tell apart what a point alone cannot", () => {
  test.each([
    [{ verdict: "na", message: "no clock" } as const, "SKIP no clock"],
    [{ verdict: "untestable", message: "no command" } as const, "SKIP untestable: no command"],
    [{ verdict: "warn" } as const, "TODO a SHOULD"],
    [{ verdict: "fail", isExpected: true } as const, "TODO known, in the baseline"],
    [{ verdict: "fail" } as const, undefined],
    [{ verdict: "pass" } as const, undefined],
  ])("%o", (said, directive) => {
    expect(read(tap(report([check(said)]))).points[0]?.directive).toBe(directive);
  });
});

test("a failure explains itself in its block, without the files and calls that fill the report", () => {
  const evidence = { expected: 160, actual: 157, history: [1], calls: [2], disk: { a: "b" } };
  const { points } = read(tap(report([check({ verdict: "fail", message: "3 are missing", evidence })])));
  expect(points[0]?.diagnosis).toEqual({
    severity: "fail",
    message: "3 are missing",
    level: "L1",
    clauses: [expect.stringMatching(/^ATP-TSK-001 \(MUST\) `id` is/)],
    evidence: { expected: 160, actual: 157 },
    again: "--revision 2026-02 --seed 4711 --only TSK-ID/a",
  });
});

test("an error of the suite says whose fault it is", () => {
  expect(read(tap(report([check({ verdict: "error" })]))).points[0]?.diagnosis).toMatchObject({
    severity: "error",
    note: "a fault of the suite, not of the target",
  });
});

test("a report without an end bails out, and a run of nothing says so", () => {
  expect(read(tap(report(mixed).slice(0, -1))).bail).toBe("Bail out! The report is incomplete.");
  expect(read(tap([])).bail).toBeDefined();
  expect(read(tap(report([]))).plan).toBe("1..0 # SKIP nothing was checked");
});

test.each(hostile)("text from a target is neither read as TAP nor lost: %s", (_, word) => {
  const text = tap(reportSaying(word));
  expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
  const { points, bail } = read(text);
  expect(points.map(({ isOk }) => isOk)).toEqual([false, false, false, false, true, true, true]);
  expect(bail).toBeUndefined();
  expect(points[0]?.diagnosis?.["message"]).toBe(word);
  expect(points[0]?.diagnosis?.["evidence"]).toMatchObject({ at: word, stderr: word });
});

test("thousands of checks are thousands of points", () => {
  const lines: readonly ReportLine[] = longReport(5_000);
  expect(read(tap(lines)).points).toHaveLength(5_000);
});
