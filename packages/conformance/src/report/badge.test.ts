import { expect, test } from "vitest";
import { check, declaration, mixed, report } from "../../test/sample-report.ts";
import type { CheckResult, ReportLine } from "../result.ts";
import { badge } from "./badge.ts";

const read = (lines: Iterable<ReportLine>) => JSON.parse(badge(lines)) as Record<string, unknown>;

const passes: readonly CheckResult[] = [
  check({ level: "L0", requirements: ["ATP-TSK-006"] }),
  check({ requirements: ["ATP-TSK-001"] }),
  check({ level: "L2", requirements: ["ATP-TSK-042"] }),
];
const slip = (requirement: string) =>
  check({ verdict: "warn", obligation: "SHOULD", level: "L2", requirements: [requirement] });
const failure = check({ verdict: "fail", level: "L2", requirements: ["ATP-INB-007"] });

test("the badge of a level names what is missed of it", () => {
  expect(read(report(passes))).toEqual({
    schemaVersion: 1,
    label: "agent-team protocol 2026-02",
    message: "L2, 0 must / 0 should",
    color: "brightgreen",
  });
  const slips = [slip("ATP-LCK-008"), slip("ATP-LCK-014"), slip("ATP-LCK-015")];
  expect(read(report([...passes, ...slips]))).toMatchObject({ message: "L2, 0 must / 3 should", color: "green" });
});

test("a level that is claimed and not met is not on the badge", () => {
  expect(read(report([...passes, failure]))).toMatchObject({ message: "L1, 0 must / 0 should", color: "yellow" });
});

test("a failure that the baseline knows is missed all the same", () => {
  expect(read(report([...passes, { ...failure, isExpected: true }]))).toMatchObject({ color: "yellow" });
});

test("a badge without a level is red, and counts the missed clauses", () => {
  expect(read(report([check({ ...failure, level: "L0", requirements: ["ATP-TSK-006"] })]))).toMatchObject({
    message: "no level, 1 must / 0 should",
    color: "red",
  });
  const silent = { declaration: { ...declaration, levels: [] } };
  expect(read(report(passes, silent))).toMatchObject({ message: "no level claimed", color: "red" });
});

test("a run that did not end, found its machine unfit, or checked nothing earns no colour", () => {
  const grey = { color: "lightgrey", isError: true };
  expect(read(report(passes).slice(0, -1))).toMatchObject({ ...grey, message: "incomplete" });
  expect(read([])).toMatchObject({ ...grey, message: "incomplete", label: "agent-team protocol" });
  expect(read(report([]))).toMatchObject({ ...grey, message: "nothing checked" });
  expect(read(report(passes, { unfit: ["no flush"] }))).toMatchObject({ ...grey, message: "nothing checked" });
});

test("a part of the suite earns no badge, even where all of it passed", () => {
  expect(read(report(passes, { only: ["ATP-TSK"] }))).toMatchObject({
    color: "lightgrey",
    isError: true,
    message: "only a part checked",
  });
});

test("a graded directory has no level, and counts its clauses", () => {
  expect(read(report(mixed, { mode: "grade" }))).toMatchObject({ message: "graded, 1 must / 1 should", color: "red" });
  expect(read(report(passes, { mode: "grade" }))).toMatchObject({
    message: "graded, 0 must / 0 should",
    color: "green",
  });
});
