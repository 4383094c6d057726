import { expect, test } from "vitest";
import { mixed, report } from "../../test/sample-report.ts";
import { readReport } from "./read-report.ts";

const text = (lines: readonly unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

test("every line of a report is read as it was written", () => {
  expect(readReport(text(report(mixed)))).toEqual(JSON.parse(JSON.stringify(report(mixed))));
  expect(readReport("")).toEqual([]);
});

test("a last line that was torn is passed over", () => {
  const whole = text(report(mixed).slice(0, 3));
  expect(readReport(`${whole}{"kind":"check","che`)).toHaveLength(3);
});

test("a torn line anywhere else is an error that says where", () => {
  expect(() => readReport(`{"kind":"hea\n${text(mixed)}`)).toThrow("line 1 is not a line of a conformance report");
});

test.each([
  ["of no kind", { check: "A/a" }],
  ["of an unknown kind", { ...mixed[0], kind: "constructor" }],
  ["with a verdict that does not exist", { ...mixed[0], verdict: "great" }],
  ["with clauses that are no texts", { ...mixed[0], requirements: [1] }],
  ["with evidence that is no object", { ...mixed[0], evidence: [] }],
  ["of a header without a target", { ...report([])[0], target: undefined }],
  [
    "of a footer with a broken level",
    { ...report([]).at(-1), levels: { L0: { passed: "3", missedMusts: [], missedShoulds: [], unproved: [] } } },
  ],
  ["that is no object", 7],
])("a line %s is refused, even as the last one", (_, line) => {
  expect(() => readReport(text([report([])[0], line]).trimEnd())).toThrow("line 2");
});
