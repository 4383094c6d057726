import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { yesTo } from "../miniatures/agreeable.mjs";
import { inProcess } from "../test/in-process.ts";
import { adapterTarget } from "./adapter/adapter-target.ts";
import { allChecks } from "./checks/index.ts";
import type { CheckResult, ReportFooter, ReportHeader, ReportLine } from "./result.ts";
import { openIsolation } from "./run/isolation.ts";
import { runSuite, type SuiteDeps } from "./run/run-suite.ts";
import type { Reply, Target } from "./target.ts";

const isolation = openIsolation({ path: process.env["PATH"] ?? "", isCutOff: false });
const checks = allChecks();
const lowChecks = checks.filter(({ level }) => level === "L0" || level === "L1");

async function run(target: Target, deps: Partial<SuiteDeps> = {}) {
  const lines: ReportLine[] = [];
  const now = () => new Date("2026-11-18T12:00:00Z");
  const given = { target, isolation, checks, revision: "2026-02", seed: 1, form: "quick", version: "0", now } as const;
  for await (const line of runSuite({ ...given, directory: tmpdir(), ...deps })) lines.push(line);
  return {
    header: lines[0] as ReportHeader,
    results: lines.slice(1, -1) as CheckResult[],
    footer: lines.at(-1) as ReportFooter,
  };
}

const miniature = (name: string): Target =>
  adapterTarget({ argv: ["node", `miniatures/${name}.mjs`], cwd: join(import.meta.dirname, ".."), isolation });

const some = ["FS-PATHS/a", "DOC-NAME/a", "INB-APPEND/a"];

describe("a target gets the verdict it deserves", () => {
  test("a target that crashes on hello fails, with its last output, and gets no more calls", async () => {
    const { header, results, footer } = await run(miniature("crashes-on-hello"));
    expect(header.declaration).toBeUndefined();
    expect(results).toMatchObject([
      { check: "HELLO/a", verdict: "fail", evidence: { stderr: expect.stringContaining("out of memory") } },
    ]);
    expect(footer).toMatchObject({ exitCode: 1, unexpected: ["HELLO/a"] });
  });

  test("a target that prints garbage fails each check, with the garbage as evidence", async () => {
    const { results, footer } = await run(miniature("prints-garbage"), { only: some });
    expect(results.map(({ verdict }) => verdict)).toEqual(["fail", "fail", "fail"]);
    expect(results[0]?.evidence).toMatchObject({ actual: expect.stringContaining("please wait") });
    expect(footer).toMatchObject({ exitCode: 1, counts: { error: 0 } });
  });

  test("a target that hangs fails when its time is up", async () => {
    const { results } = await run(miniature("hangs"), { only: ["DOC-NAME/a"], callLimitMs: 200 });
    expect(results).toMatchObject([{ verdict: "fail", message: expect.stringContaining("no answer within") }]);
  });

  test("a target that claims a level without its methods fails it, and all levels below", async () => {
    const { results, footer } = await run(miniature("lies-about-its-level"), { only: [...some, "CLAIM-STEP/a"] });
    expect(results.map(({ verdict }) => verdict)).toEqual(["fail", "fail", "fail", "fail"]);
    expect(footer.levels).toMatchObject({ L0: { isMet: false }, L1: { isMet: false }, L2: { isMet: false } });
  });

  test("a target that claims nothing gets no calls, and that is no success", async () => {
    const { results, footer } = await run(miniature("claims-nothing"), { only: some });
    expect(results.map(({ verdict }) => verdict)).toEqual(["na", "na", "na"]);
    expect(footer).toMatchObject({ executed: 0, exitCode: 3 });
  });

  test("a target that works only in teams of others is judged by what it does there, in a team of the suite's", async () => {
    const only = ["INB-APPEND/a", "INB-TEXTS/a", "MEM-LEAD/a"];
    const { results } = await run(miniature("works-in-teams-of-others"), { only });
    const verdicts = Object.fromEntries(results.map(({ check, verdict }) => [check, verdict]));
    expect(verdicts).toEqual({ "INB-APPEND/a": "pass", "INB-TEXTS/a": "na", "MEM-LEAD/a": "na" });
  });

  test("a target that cannot be started is an error of the user, not a failure of the target", async () => {
    const { results, footer } = await run(adapterTarget({ argv: ["/nowhere/at-all"], cwd: "/", isolation }));
    expect(results).toMatchObject([{ verdict: "error" }]);
    expect(footer.exitCode).toBe(2);
  });

  test.each(["always-ok", "always-error"])("%s passes nothing as a process", async (name) => {
    const { footer } = await run(miniature(name), { only: some });
    expect(footer).toMatchObject({ counts: { pass: 0, fail: 3, error: 0 }, exitCode: 1 });
  });
});

describe.each(["2026-02", "2026-11"] as const)("%s", (revision) => {
  test("no check of the lower levels passes a target that refuses everything", async () => {
    const refuse = (): Reply => ({ outcome: "fail", error: { name: "refused", message: "no" } });
    const { results } = await run(inProcess(refuse).target, { checks: lowChecks, revision });
    expect(results.filter(({ verdict }) => verdict === "pass").map(({ check }) => check)).toEqual([]);
    expect(results.filter(({ verdict }) => verdict === "error")).toEqual([]);
  });

  test("no check of the lower levels passes a target that agrees to everything", async () => {
    const agree = (method: string): Reply => ({ outcome: "ok", result: yesTo(method) });
    const { results } = await run(inProcess(agree).target, { checks: lowChecks, revision });
    expect(results.filter(({ verdict }) => verdict === "pass").map(({ check }) => check)).toEqual([]);
    expect(results.filter(({ verdict }) => verdict === "error").map(({ check, message }) => [check, message])).toEqual(
      [],
    );
  });
});
