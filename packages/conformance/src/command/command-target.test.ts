import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
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
    target: commandTarget({ file, text: readFileSync(file, "utf8"), isolation }),
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

test("the output of a failed command tells the error if its exit code is ambiguous", async () => {
  const directory = mkdtempSync(join(tmpdir(), "conformance-command-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const [root, home] = [join(directory, "root"), join(directory, "home")];
  for (const made of [root, home]) mkdirSync(made);
  const says = (words: string, code: number) => `[node, -e, "console.log('${words}'); process.exit(${code})"]`;
  const lines = [
    "name: words",
    "home_env: HOME",
    "commands:",
    `  team.create: ${says("it is taken", 1)}`,
    `  task.claim: ${says("nothing to do", 1)}`,
    `  team.delete: ${says("it is taken", 3)}`,
    `  member.remove: ${says("other words", 1)}`,
    "exit: {notFound: [3]}",
    "errors: {none: ^nothing, conflict: is taken$}",
  ];
  const target = commandTarget({ file: join(directory, "target.yaml"), text: lines.join("\n"), isolation });
  const options = { index: 0, root, home, seed: 1, caseId: "X/a", limitMs: 10_000, record: () => {} };
  const proc = await target.start({ ...options, revision: "2026-02" });
  const failing = (name: string) => ({ outcome: "fail", error: { name } });
  expect(await proc.call("team.create", {})).toMatchObject(failing("conflict"));
  expect(await proc.call("task.claim", {})).toEqual({ outcome: "ok", result: { claimed: false, reason: "none" } });
  expect(await proc.call("team.delete", {})).toMatchObject(failing("notFound"));
  expect(await proc.call("member.remove", {})).toMatchObject(failing("unnamed"));
});
