import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { commandTarget } from "../command/command-target.ts";
import type { CheckResult, ReportFooter, ReportLine } from "../result.ts";
import { openIsolation } from "../run/isolation.ts";
import { runSuite } from "../run/run-suite.ts";
import { sessionChecks } from "./checks/index.ts";

const isolation = openIsolation({ path: process.env["PATH"] ?? "", isCutOff: false });
const head = ["name: idle", "revisions: [2026-02, 2026-11]", "home_env: HOME"];

async function run(lines: readonly string[], only?: readonly string[]) {
  const found: ReportLine[] = [];
  const target = commandTarget({ file: "target.yaml", text: [...head, ...lines].join("\n"), isolation });
  const given = { target, isolation, checks: sessionChecks, revision: "2026-11", seed: 1, form: "quick" } as const;
  const rest = { version: "0", directory: tmpdir(), now: () => new Date(), ...(only && { only }) };
  for await (const line of runSuite({ ...given, ...rest })) found.push(line);
  return {
    results: found.filter((line): line is CheckResult => line.kind === "check" && line.verdict !== "na"),
    footer: found.at(-1) as ReportFooter,
  };
}

describe("a target gets nothing for a level of sessions by declaring it", () => {
  test("one that names no command that starts a session misses every clause of it", async () => {
    const { results, footer } = await run(["levels: [L5]", "commands: {team.list: [echo]}"]);
    expect(results.length).toBeGreaterThan(20);
    expect(new Set(results.map(({ message }) => message))).toEqual(
      new Set(["it claims a level of sessions, and names no command that starts one"]),
    );
    expect(footer).toMatchObject({ counts: { pass: 0, error: 0, untestable: 0 }, exitCode: 1 });
  });

  test("one whose sessions end at once does so as well, and each check says how it ended", async () => {
    const { results, footer } = await run([
      "session: {lead: [echo, '{prompt}', ['{backend}'], ['{mode}'], ['{flags}']], teammate: [echo, ['{flags}']]}",
      "levels: [L5]",
    ]);
    const reasons = results.filter(({ message }) => !/it ended with exit code 0/.test(message ?? ""));
    expect(reasons.map(({ check, message }) => [check, message])).toEqual([]);
    expect(footer.counts).toMatchObject({ pass: 0, error: 0 });
  });

  test("one without the level is not asked, unless it has the command", async () => {
    const { results } = await run(["commands: {team.list: [echo]}"]);
    expect(results).toEqual([]);
  });
});

test("the schema of a target file and what is read of it know the same sessions", () => {
  const schema = JSON.parse(readFileSync(new URL("../../schemas/target.json", import.meta.url), "utf8"));
  expect(Object.keys(schema.properties.session.properties)).toEqual(["lead", "screen", "teammate", "env"]);
});
