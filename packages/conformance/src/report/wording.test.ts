import { describe, expect, test } from "vitest";
import { check, declaration, footer, header, mixed, report } from "../../test/sample-report.ts";
import type { CheckResult, ReportLine } from "../result.ts";
import { gather } from "./report.ts";
import { again, concerns, conclusion, reasonAgainst, sectionsOf, subject } from "./wording.ts";

const passed = (level: CheckResult["level"], requirement: string) =>
  check({ check: `${level}/a`, level, requirements: [requirement] });
const allPassed = [passed("L0", "ATP-TSK-006"), passed("L1", "ATP-TSK-001"), passed("L2", "ATP-TSK-042")];
const claims = (levels: (typeof declaration)["levels"]) => ({ declaration: { ...declaration, levels } });
const concluded = (lines: readonly ReportLine[]) => conclusion(gather(lines));

describe("the conclusion", () => {
  test("a badge names the level that is claimed and met", () => {
    expect(concluded(report(allPassed))).toBe("Meets L2.");
    const warned = check({ verdict: "warn", obligation: "SHOULD", requirements: ["ATP-LCK-008"], level: "L2" });
    expect(concluded(report([...allPassed, warned]))).toBe("Meets L2; 1 SHOULD clause is missed.");
  });

  test("a badge names what is missed of a level, and what is unknown", () => {
    const failed = check({ level: "L2", verdict: "fail", requirements: ["ATP-INB-007", "ATP-INB-008"] });
    const lost = check({ level: "L2", verdict: "error", requirements: ["ATP-LCK-006"] });
    expect(concluded(report([...allPassed, failed]))).toBe("Claims L2, meets L1: 2 MUST clauses are missed.");
    expect(concluded(report([...allPassed, lost]))).toBe("Claims L2, meets L1: 1 MUST clause undecided.");
    const wrong = [{ ...failed, requirements: ["ATP-TSK-006"] }, lost];
    expect(concluded(report(wrong))).toBe(
      "Claims L2, meets no level: 1 MUST clause is missed, 1 MUST clause undecided.",
    );
  });

  test("a badge shows no level if none is claimed, none was reached, or the run did not end", () => {
    expect(concluded(report(allPassed, claims([])))).toBe("It claims no level.");
    const { declaration: _, ...silent } = header();
    const hello = check({ verdict: "fail", requirements: [], level: "L0" });
    expect(concluded([silent, hello, footer([hello], [])])).toBe("It did not get as far as saying what it is.");
    expect(concluded(report(allPassed).slice(0, -1))).toContain("Incomplete");
    expect(concluded(report([]))).toBe("Nothing was checked.");
    expect(concluded([])).toBe("Nothing was reported.");
    expect(concluded(report(allPassed, { unfit: ["no exclusive files"] }))).toContain("Not judged");
  });

  test("a badge of a partial run says so, and names no level", () => {
    const only = { only: ["ATP-TSK"] };
    const part = "Only a part was checked, so no level is judged; ";
    expect(concluded(report(allPassed, only))).toBe(`${part}no clause of it is missed.`);
    expect(concluded(report(mixed, only))).toBe(`${part}1 MUST clause is missed, 1 SHOULD clause is missed.`);
  });

  test("counts clauses where a directory was graded", () => {
    expect(concluded(report(mixed, { mode: "grade" }))).toBe("1 MUST clause is missed, 1 SHOULD clause is missed.");
    expect(concluded(report(allPassed, { mode: "grade" }))).toBe("No clause that was checked is missed.");
  });
});

describe("the concerns", () => {
  const found = (lines: readonly ReportLine[]) => concerns(gather(lines)).join("\n");

  test("are none in a sound run", () => {
    expect(concerns(gather(report(mixed)))).toEqual([]);
  });

  test("tell that a run did not end, and after how much", () => {
    expect(found(report(mixed).slice(0, -1))).toContain("incomplete: it ends after 6 checks without a footer");
    expect(found([])).toContain("no header");
  });

  test("tell that nothing was executed, that the machine is unfit, that the baseline is stale", () => {
    expect(found(report([check({ verdict: "na" })]))).toContain("No check was executed");
    expect(found(report(mixed, { unfit: ["a file cannot be flushed"] }))).toContain("a file cannot be flushed");
    expect(found([header(), { ...footer(mixed), stale: ["OLD/a"] }])).toContain(
      "remove what no longer fails or exists: OLD/a",
    );
  });

  test("tell that the clauses shown are not those it was judged by", () => {
    expect(found(report(mixed, { requirements: { sha256: "0123456789abcdef", count: 3 } }))).toContain(
      "(0123456789ab…)",
    );
  });
});

test("a level that is not met names the clauses in the way, also those a check of a higher level asked about", () => {
  const against = (results: readonly CheckResult[], level: CheckResult["level"]) =>
    reasonAgainst(gather(report(results)), level);
  const failed = check({ level: "L2", verdict: "fail", requirements: ["ATP-TSK-004"] });
  expect(against([...allPassed, failed], "L0")).toBeUndefined();
  expect(against([...allPassed, failed], "L1")).toBe("not shown to keep ATP-TSK-004");
  expect(against([...allPassed, failed], "L2")).toBe("a lower level is not met");
  const many = check({ verdict: "fail", requirements: ["ATP-TSK-001", "ATP-TSK-002", "ATP-TSK-004", "ATP-TSK-005"] });
  expect(against([many], "L1")).toMatch(/^not shown to keep (ATP-TSK-00\d, ){2}ATP-TSK-00\d and 1 more$/);
  expect(against([], "L1")).toBe("too little was checked");
});

test("sections hold each result that deserves a look once, failures first, known ones last", () => {
  const known = check({ check: "KNOWN/a", verdict: "fail", isExpected: true });
  const sections = sectionsOf(gather(report([known, ...mixed])));
  expect(sections.map(({ key, results }) => [key, results.map((one) => one.check)])).toEqual([
    ["fail", ["TSK-DEP-03/a"]],
    ["error", ["INB-RACE/a"]],
    ["warn", ["TSK-TIME/a"]],
    ["untestable", ["LCK-STALE/a"]],
    ["known", ["KNOWN/a"]],
  ]);
});

test("a result is seen again by the seed and form of its run, and a graded one needs no seed", () => {
  const full = gather(report(mixed, { form: "full", seed: 5 }));
  expect(again(full, check())).toBe("--revision 2026-02 --seed 5 --full --only TSK-ID/a");
  expect(again(gather(report(mixed, { mode: "grade" })), check())).toBeUndefined();
});

test("a target that said nothing is called by what started it", () => {
  const { declaration: _, ...silent } = header({ target: { kind: "adapter", label: "node\nadapter.js" } });
  expect(subject(gather([silent]))).toBe("node adapter.js");
});

test("lines of two reports are not taken for one", () => {
  expect(() => gather([...report(mixed), ...report(mixed)])).toThrow("more than one report");
});

test("a revision that does not exist has no clauses, and is not looked up", () => {
  const lines = [{ ...header(), revision: "../../package" }] as unknown as ReportLine[];
  expect(gather(lines).clauses.size).toBe(0);
});
