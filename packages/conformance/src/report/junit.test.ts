import { describe, expect, test } from "vitest";
import { elementTree, named, words } from "../../test/element-tree.ts";
import { hostile } from "../../test/hostile.ts";
import { check, longReport, mixed, report, reportSaying } from "../../test/sample-report.ts";
import { junit } from "./junit.ts";
import { plain } from "./plain.ts";

const read = (xml: string) => elementTree(xml);

test("there is a suite for each level, and its counts are those of its cases", () => {
  const tree = read(junit(report(mixed)));
  const suites = named(tree, "testsuite");
  expect(suites.map(({ attributes }) => attributes["name"])).toEqual(["L1", "L2"]);
  for (const suite of [...suites, ...named(tree, "testsuites")]) {
    const { tests, failures, errors, skipped } = suite.attributes;
    expect(Number(tests)).toBe(named(suite, "testcase").length);
    expect(Number(failures)).toBe(named(suite, "failure").length);
    expect(Number(errors)).toBe(named(suite, "error").length);
    expect(Number(skipped)).toBe(named(suite, "skipped").length);
  }
});

test("a failure tells the message, the clause and its text, expected and actual, and how to see it again", () => {
  const [failure] = named(read(junit(report(mixed))), "failure");
  expect(failure?.attributes).toMatchObject({ message: mixed[1]?.message, type: "MUST" });
  for (const part of [
    "ATP-TSK-031 (MUST) …and b into a.blocks",
    "expected: {",
    "actual: []",
    "--seed 4711 --only TSK-DEP-03/a",
  ]) {
    expect(failure?.text).toContain(part);
  }
});

describe("each verdict has its own form", () => {
  const formOf = (said: Parameters<typeof check>[0]) => {
    const [found] = named(read(junit(report([check(said)]))), "testcase");
    return found?.children.map(({ name }) => name).join();
  };

  test.each([
    ["pass", ""],
    ["fail", "failure"],
    ["error", "error"],
    ["na", "skipped"],
    ["untestable", "skipped"],
    ["warn", "system-out"],
  ] as const)("%s is %s", (verdict, form) => {
    expect(formOf({ verdict, message: "why" })).toBe(form);
  });

  test("a failure that the baseline names is skipped", () => {
    expect(formOf({ verdict: "fail", isExpected: true })).toBe("skipped");
  });
});

test("an incomplete report is an error of its own, and an empty one too", () => {
  for (const lines of [report(mixed).slice(0, -1), []]) {
    const tree = read(junit(lines));
    const [run] = named(tree, "testsuite").filter(({ attributes }) => attributes["name"] === "run");
    expect(named(run ?? tree, "error")).toHaveLength(1);
  }
  expect(named(read(junit([])), "testsuites")[0]?.attributes["errors"]).toBe("1");
});

test.each(hostile)("it is well formed whatever a target says, and says it: %s", (_, word) => {
  const tree = read(junit(reportSaying(word)));
  expect(named(tree, "testcase")).toHaveLength(8);
  expect(named(tree, "failure")[0]?.attributes["message"]).toBe(plain(word));
  expect(words(tree)).toContain(plain(word));
});

test("thousands of checks are thousands of cases", () => {
  expect(named(read(junit(longReport(5_000))), "testcase")).toHaveLength(5_000);
});
