import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { allChecks } from "../checks/index.ts";
import type { CheckResult, ReportLine } from "../result.ts";
import { openIsolation } from "../run/isolation.ts";
import { runSuite } from "../run/run-suite.ts";
import { commandTarget } from "./command-target.ts";
import { readTargetFile } from "./target-file.ts";

const isolation = openIsolation({ path: process.env["PATH"] ?? "", isCutOff: false });
const file = join(import.meta.dirname, "../../miniatures/filing.yaml");

async function verdicts(only: readonly string[]) {
  const lines: ReportLine[] = [];
  const given = {
    target: commandTarget({ file, isolation }),
    isolation,
    checks: allChecks(),
    revision: "2026-02",
  } as const;
  const rest = { seed: 1, form: "quick", version: "0", directory: tmpdir(), now: () => new Date() } as const;
  for await (const line of runSuite({ ...given, ...rest, only })) lines.push(line);
  const results = lines.filter((line): line is CheckResult => line.kind === "check");
  return Object.fromEntries(results.map(({ check, verdict, message }) => [check, [verdict, message]]));
}

test("a program is judged by its own commands and by what they leave on disk", async () => {
  const found = await verdicts([
    "CFG-SESSION",
    "CFG-ONE",
    "TSK-ID",
    "TSK-NEW/a",
    "TSK-NEW/d",
    "TSK-STATE/a",
    "FS-SESSION",
  ]);
  expect(found).toEqual({
    "CFG-SESSION/a": ["untestable", expect.stringContaining("no command that says team.get")],
    "CFG-ONE/a": ["untestable", expect.stringContaining("which session")],
    "FS-SESSION/a": ["na", expect.any(String)],
    "TSK-ID/a": ["pass", undefined],
    "TSK-ID/b": ["fail", expect.stringContaining('/id is "3"')],
    "TSK-ID/c": ["fail", expect.stringContaining("ended by SIGSEGV")],
    "TSK-NEW/a": ["pass", undefined],
    "TSK-NEW/d": ["untestable", expect.stringContaining("has no command that says task.create")],
    "TSK-STATE/a": ["untestable", expect.stringContaining("has no command that says task.update")],
  });
});

test("a target file that is wrong is refused with the place", () => {
  expect(() => readTargetFile("name: x\ncommands: {team.create: []}", "/")).toThrow("/commands/team.create");
  expect(() => readTargetFile("[]", "/")).toThrow("the target file is wrong");
});
