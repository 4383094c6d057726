import { expect, test } from "vitest";
import { all, type Element, elementTree, named, words } from "../../test/element-tree.ts";
import { hostile } from "../../test/hostile.ts";
import { check, declaration, header, longReport, mixed, report, reportSaying } from "../../test/sample-report.ts";
import type { ReportLine } from "../result.ts";
import { html } from "./html.ts";
import { matrix } from "./matrix.ts";
import { columnOf, type MatrixAbout } from "./matrix-column.ts";

interface Given extends MatrixAbout {
  readonly lines: Iterable<ReportLine>;
}
const read = (reports: readonly Given[]) =>
  elementTree(matrix(reports.map(({ lines, ...about }) => columnOf(lines, about))));
const shownIn = (element: Element | undefined) => (element ? words(element).replace(/\s+/g, " ") : "");
const calling = (name: string) => ({ declaration: { ...declaration, name } });
const signs = (row: Element | undefined) => named(row ?? elementTree(""), "td").map((cell) => labelOf(cell));
const labelOf = (cell: Element) =>
  all(cell).find(({ attributes }) => attributes["role"] === "img")?.attributes["aria-label"];
const rowOf = (tree: Element, clause: string) => named(tree, "tr").find((row) => shownIn(row).includes(clause));

test("each report is a column, with its day, the suite's version and the level that is met", () => {
  const tree = read([
    { lines: report(mixed), href: "acme.html" },
    {
      lines: report([check()], {
        ...calling("Other"),
        startedAt: "2026-05-09T00:00:00Z",
        suite: { name: "s", version: "2.0.1" },
      }),
    },
  ]);
  const heads = named(tree, "th").filter(({ attributes }) => attributes["scope"] === "col");
  expect(shownIn(heads[1])).toMatch(/Acme Teams 1\.4\.0.*none of L2 met/);
  expect(shownIn(heads[2])).toContain("2026-05-09");
  expect(shownIn(heads[2])).toContain("suite 2.0.1");
});

test("each clause that some check asked about is a row, and its cells hold the worst verdict", () => {
  const both = [
    check({ check: "A/a" }),
    check({ check: "B/a", verdict: "fail" }),
    check({ check: "C/a", verdict: "na" }),
  ];
  const tree = read([{ lines: report(both) }, { lines: report([check()]) }, { lines: report([]) }]);
  expect(signs(rowOf(tree, "ATP-TSK-001"))).toEqual(["failed", "passed", "no check asked"]);
  expect(named(tree, "tbody").flatMap((body) => body.children)).toHaveLength(1);
  expect(shownIn(tree)).toMatch(/Nobody was asked about the other \d+\./);
});

test("a cell leads to the check on the report's own page", () => {
  const lines = report([...mixed, check({ check: "odd id#<x>", requirements: ["ATP-TSK-004"], verdict: "fail" })]);
  const ids = all(elementTree(html(lines))).flatMap(({ attributes }) => attributes["id"] ?? []);
  const hrefs = named(read([{ lines, href: "runs/a b.html" }]), "td").flatMap((cell) =>
    named(cell, "a").map(({ attributes }) => attributes["href"] ?? ""),
  );
  expect(hrefs).toHaveLength(6);
  for (const href of hrefs) {
    const [page, anchor] = href.split("#");
    expect(page).toBe("runs/a%20b.html");
    expect(ids).toContain(anchor);
  }
});

test("revisions have tables of their own", () => {
  const tree = read([{ lines: report([check()]) }, { lines: report([check()], { revision: "2026-11" }) }]);
  const titles = named(tree, "h2").map((title) => shownIn(title).trim());
  expect(titles.filter((title) => title.startsWith("Revision"))).toEqual([
    expect.stringContaining("Revision 2026-02"),
    expect.stringContaining("Revision 2026-11"),
  ]);
  const columns = named(tree, "thead").map((head) => named(head, "th").length - 1);
  expect(columns).toEqual([1, 1]);
});

test("rows can be chosen by level, and by whether all keep the clause", () => {
  const tree = read([{ lines: report(mixed) }]);
  const boxes = named(tree, "label").map((label) => shownIn(label).trim().replace(/\s+/g, " "));
  expect(named(tree, "input").map(({ attributes }) => attributes["data-show"])).toEqual(["L1", "L2", "missed", "kept"]);
  expect(boxes[2]).toBe("not kept by all 4");
  const classes = named(tree, "tr").flatMap(({ attributes }) => attributes["class"] ?? []);
  expect(classes.filter((one) => one.endsWith("missed"))).toHaveLength(4);
  expect(classes.filter((one) => one.endsWith("kept"))).toHaveLength(1);
});

test("a report that did not end, or whose run was unsound, does not look like a result", () => {
  const tree = read([
    { lines: [header(), check()] },
    { lines: report([check()], { unfit: ["no flush"] }) },
    { lines: report([check()], { mode: "grade" }) },
  ]);
  expect(shownIn(tree)).toContain("Acme Teams 1.4.0 incomplete 1 passed revision");
  const heads = named(tree, "thead").map(shownIn).join();
  for (const word of ["incomplete", "unsound", "graded"]) expect(heads).toContain(word);
});

test("a report without a header is counted and left out, and no report at all is said", () => {
  expect(shownIn(read([{ lines: [check()] }, { lines: report(mixed) }]))).toContain("1 report without a header");
  expect(shownIn(read([]))).toContain("There is no report to show.");
});

test.each(hostile)("whatever a target says is text and nothing else: %s", (_, word) => {
  const tree = read([{ lines: reportSaying(word), href: "a.html" }]);
  const names = new Set(all(tree).map(({ name }) => name));
  for (const name of ["script", "img", "failure"]) expect(names).not.toContain(name);
  const attributes = all(tree).flatMap((element) => Object.keys(element.attributes));
  expect(attributes.filter((name) => name.startsWith("on"))).toEqual([]);
  expect(named(tree, "td").length).toBeGreaterThan(0);
});

test("many reports of thousands of checks fit on one page", () => {
  const reports = Array.from({ length: 8 }, () => ({ lines: longReport(2_000), href: "x.html" }));
  expect(signs(rowOf(read(reports), "ATP-TSK-001"))).toEqual(Array(8).fill("failed"));
});
