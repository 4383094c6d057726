import { expect, test } from "vitest";
import { hostile } from "../../test/hostile.ts";
import { check, longReport, mixed, report, reportSaying } from "../../test/sample-report.ts";
import type { ReportLine } from "../result.ts";
import { sarif } from "./sarif.ts";

interface Log {
  readonly version: string;
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly name: string; readonly rules: readonly { readonly id: string }[] } };
    readonly invocations: readonly {
      readonly executionSuccessful: boolean;
      readonly exitCode?: number;
      readonly toolExecutionNotifications: readonly { readonly message: { readonly text: string } }[];
    }[];
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly level: string;
      readonly message: { readonly text: string };
      readonly suppressions?: readonly unknown[];
      readonly locations?: readonly {
        readonly physicalLocation: {
          readonly artifactLocation: { readonly uri: string; readonly uriBaseId: string };
          readonly region: { readonly startLine: number };
        };
        readonly logicalLocations?: readonly { readonly fullyQualifiedName: string }[];
      }[];
    }[];
  }[];
}

/** What every reader of SARIF relies on. */
function read(lines: Iterable<ReportLine>) {
  const log = JSON.parse(sarif(lines)) as Log;
  expect(log.version).toBe("2.1.0");
  const [run] = log.runs;
  if (!run) throw new Error("no run");
  for (const result of run.results) {
    expect(run.tool.driver.rules[result.ruleIndex]?.id).toBe(result.ruleId);
    expect(["error", "warning", "note"]).toContain(result.level);
    for (const { physicalLocation } of result.locations ?? []) {
      expect(physicalLocation.artifactLocation.uri).toMatch(/^[\w.~!*'()%-]+(\/[\w.~!*'()%-]+)*$/);
      expect(physicalLocation.region.startLine).toBeGreaterThan(0);
    }
  }
  return run;
}

const graded = (results: Parameters<typeof report>[0]) => report(results, { mode: "grade" });

test("a finding is a result at its file, under the rule of its clause with the clause's text", () => {
  const run = read(graded(mixed));
  expect(run.results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
    ["ATP-TSK-031", "error"],
    ["ATP-FS-107", "warning"],
  ]);
  expect(run.results[0]?.locations).toEqual([
    {
      physicalLocation: { artifactLocation: { uri: "tasks/t/1.json", uriBaseId: "ROOT" }, region: { startLine: 1 } },
      logicalLocations: [{ fullyQualifiedName: "/blocks", kind: "member" }],
    },
  ]);
  expect(run.tool.driver.rules[1]).toMatchObject({
    id: "ATP-TSK-031",
    shortDescription: { text: "…and b into a.blocks in the same operation" },
    defaultConfiguration: { level: "error" },
    properties: { level: "L1", obligation: "MUST", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
});

test("each document that misses the same clause is a result of its own", () => {
  const findings = [
    { at: "tasks/t/1.json /status", message: "status is done" },
    { at: "../teams/a b/ü.json", message: "status is 7", line: 4 },
  ];
  const { results } = read(graded([check({ verdict: "fail", evidence: { findings } })]));
  expect(results.map(({ message }) => message.text)).toEqual(["status is done", "status is 7"]);
  expect(results[1]?.locations?.[0]?.physicalLocation).toEqual({
    artifactLocation: { uri: "teams/a%20b/%C3%BC.json", uriBaseId: "ROOT" },
    region: { startLine: 4 },
  });
});

test("failures in the baseline are suppressed", () => {
  const { results } = read(graded([check({ verdict: "fail", isExpected: true }), check({ verdict: "fail" })]));
  expect(results.map(({ suppressions }) => suppressions?.length)).toEqual([1, undefined]);
});

test("a sound run was successful; an incomplete one, or one with an error of the suite, was not and says why", () => {
  const told = (lines: Iterable<ReportLine>) => {
    const [invocation] = read(lines).invocations;
    const texts = invocation?.toolExecutionNotifications.map(({ message }) => message.text).join() ?? "";
    return [invocation?.executionSuccessful, invocation?.exitCode, texts];
  };
  expect(told(graded([check()]))).toEqual([true, 0, ""]);
  expect(told(graded([check()]).slice(0, -1))).toEqual([false, undefined, expect.stringContaining("incomplete")]);
  expect(told(graded(mixed))).toEqual([false, 1, "INB-RACE/a: the search is undecided"]);
  expect(told([])[0]).toBe(false);
});

test.each(hostile)("it keeps its shape whatever the files are called: %s", (_, word) => {
  const { results } = read(reportSaying(word));
  expect(results).toHaveLength(4);
  const said: string[] = [];
  JSON.stringify(results, (_key, value) => (typeof value === "string" ? said.push(value) : value));
  expect(said.join("")).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u2028\u202e\u2066\ufeff]/);
});

test("thousands of findings share one rule", () => {
  const run = read(longReport(20_000));
  expect([run.results.length, run.tool.driver.rules.length]).toEqual([2_000, 1]);
});
