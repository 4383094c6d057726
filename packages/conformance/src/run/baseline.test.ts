import { describe, expect, test } from "vitest";
import type { Verdict } from "../check.ts";
import { loadRequirements } from "../requirement.ts";
import type { CheckResult } from "../result.ts";
import { compare, readBaseline } from "./baseline.ts";
import { footerOf } from "./summary.ts";

const result = (verdict: Verdict, more: Partial<CheckResult> = {}): CheckResult => ({
  kind: "check",
  check: "TSK-ID/a",
  title: "",
  requirements: ["ATP-TSK-001"],
  obligation: "MUST",
  level: "L1",
  verdict,
  ms: 0,
  seed: 0,
  ...more,
});

const known = new Set(["TSK-ID/a", "TSK-ID/b"]);
const today = "2026-11-18";
const entries = readBaseline(`
- {check: TSK-ID/a, reason: being mended, issue: https://example.org/1, until: 2026-12-01}
- {check: TSK-ID/b, reason: another revision, revision: 2026-11}
`);

describe("a baseline", () => {
  test("covers a failure that it names, in the revision it is for, until its day", () => {
    const named = compare(entries, "2026-02", today);
    expect(named.isExpected(result("fail"))).toBe(true);
    expect(named.isExpected(result("untestable"))).toBe(true);
    expect(named.isExpected(result("fail", { check: "TSK-ID/b" }))).toBe(false);
    expect(compare(entries, "2026-11", today).isExpected(result("fail", { check: "TSK-ID/b" }))).toBe(true);
    expect(compare(entries, "2026-02", "2026-12-01").isExpected(result("fail"))).toBe(false);
  });

  test("a baseline entry is stale if its check passes or does not exist", () => {
    const { stale } = compare(entries, "2026-02", today);
    expect(stale([result("pass")], known)).toEqual(["TSK-ID/a"]);
    expect(stale([result("fail")], known)).toEqual([]);
    expect(stale([], known)).toEqual([]);
    expect(stale([], new Set())).toEqual(["TSK-ID/a"]);
  });

  test("a baseline entry without a reason is refused", () => {
    expect(() => readBaseline("- {check: TSK-ID/a}")).toThrow("entry 1 of the baseline needs a check and a reason");
    expect(() => readBaseline("check: TSK-ID/a")).toThrow("a list of entries");
    expect(readBaseline("")).toEqual([]);
  });
});

describe("a run ends", () => {
  const end = (results: readonly CheckResult[], stale: readonly string[] = []) =>
    footerOf({ results, set: loadRequirements("2026-02"), claimed: ["L1"], stale, ms: 0 });

  test("a run exits with 0 if all tested clauses are met; a SHOULD may be missed", () => {
    const footer = end([result("pass"), result("warn", { obligation: "SHOULD", requirements: ["ATP-CFG-005"] })]);
    expect(footer).toMatchObject({ exitCode: 0, executed: 2, levels: { L1: { isMet: true } } });
    expect(footer.levels.L1).toMatchObject({ missedMusts: [], missedShoulds: ["ATP-CFG-005"] });
    expect(footer.levels.L2).toBeUndefined();
  });

  test("a run exits with 1 on an unexpected failure or a stale baseline", () => {
    expect(end([result("fail")])).toMatchObject({ exitCode: 1, unexpected: ["TSK-ID/a"] });
    expect(end([result("untestable")]).exitCode).toBe(1);
    expect(end([result("fail", { isExpected: true })]).exitCode).toBe(0);
    expect(end([result("pass")], ["TSK-ID/a"]).exitCode).toBe(1);
  });

  test("a run exits with 2 if the suite itself failed, unless the target failed as well", () => {
    expect(end([result("error")]).exitCode).toBe(2);
    expect(end([result("error"), result("fail", { check: "x" })]).exitCode).toBe(1);
  });

  test("a run exits with 3 if no check was run", () => {
    expect(end([result("na")]).exitCode).toBe(3);
    expect(end([]).exitCode).toBe(3);
  });

  test("a run meets no level if only some of its checks were run", () => {
    const results = [result("pass")];
    const footer = footerOf({
      results,
      set: loadRequirements("2026-02"),
      claimed: ["L1"],
      stale: [],
      isPart: true,
      ms: 0,
    });
    expect(footer.levels.L1?.isMet).toBe(false);
  });

  test("a run does not meet a level whose clause is missed by an expected failure", () => {
    expect(end([result("pass", { check: "x" }), result("fail", { isExpected: true })]).levels.L1).toMatchObject({
      isMet: false,
      missedMusts: ["ATP-TSK-001"],
    });
  });
});
