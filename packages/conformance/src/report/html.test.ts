import { describe, expect, test } from "vitest";
import { all, type Element, elementTree, named, words } from "../../test/element-tree.ts";
import { hostile } from "../../test/hostile.ts";
import { check, declaration, longReport, mixed, report, reportSaying } from "../../test/sample-report.ts";
import type { ReportLine } from "../result.ts";
import { html } from "./html.ts";
import { plain } from "./plain.ts";

const read = (lines: Iterable<ReportLine>) => elementTree(html(lines));
const ofClass = (tree: Element, name: string) =>
  all(tree).filter(({ attributes }) => (attributes["class"] ?? "").split(" ").includes(name));
const shownIn = (element: Element | undefined) => (element ? words(element).replace(/\s+/g, " ") : "");

/** Everything our pages are made of; none of it loads, runs or embeds anything. */
const elements = new Set(
  "html head meta title style body header main footer section article nav h1 h2 h3 p a b i dl dt dd div span ul li code pre details summary form fieldset label input figure figcaption svg g rect line text table thead tbody tr th td br".split(
    " ",
  ),
);
const attributeNames = new Set(
  "lang charset http-equiv content name class id href open rel role style tabindex type checked data-show aria-label aria-hidden viewBox x x1 x2 y y1 y2 width height rx".split(
    " ",
  ),
);

/** What must be true of a page whatever it shows. */
function expectHarmless(tree: Element): void {
  const found = all(tree).slice(1);
  expect(found.map(({ name }) => name).filter((name) => !elements.has(name))).toEqual([]);
  const names = found.flatMap(({ attributes }) => Object.keys(attributes));
  expect(names.filter((name) => !attributeNames.has(name))).toEqual([]);
  const links = found.flatMap(({ attributes }) => attributes["href"] ?? []);
  expect(links.filter((link) => !/^(#[\w/.-]+|https?:\/\/\S+)$/.test(link))).toEqual([]);
  const styles = found.flatMap(({ attributes }) => attributes["style"] ?? []);
  expect(styles.filter((style) => !/^(flex-grow:\d+|min-width:\d+px)$/.test(style))).toEqual([]);
}

test("the page loads nothing and runs nothing, and its own policy says so", () => {
  const text = html(report(mixed));
  const tree = elementTree(text);
  expectHarmless(tree);
  const [policy] = named(tree, "meta").filter(({ attributes }) => "http-equiv" in attributes);
  expect(policy?.attributes["content"]).toBe("default-src 'none'; style-src 'unsafe-inline'");
  expect(text).not.toMatch(/url\(|@import|<script/);
});

test("every anchor it points to is there, once", () => {
  const tree = read(report(mixed));
  const ids = all(tree).flatMap(({ attributes }) => attributes["id"] ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  const targets = all(tree).flatMap(({ attributes }) => attributes["href"] ?? []);
  expect(targets.filter((href) => href.startsWith("#") && !ids.includes(href.slice(1)))).toEqual([]);
  expect(targets).toContain("#check-TSK-DEP-03/a");
});

describe("a failure is shown", () => {
  const tree = read(report(mixed));
  const card = all(tree).find(({ attributes }) => attributes["id"] === "check-TSK-DEP-03/a");

  test("a failure is shown with its message, its clause in words, both values, and a command to repeat it", () => {
    for (const part of ["a new edge is written on both sides", "…and b into a.blocks", "tasks/t/1.json /blocks"]) {
      expect(shownIn(card)).toContain(part);
    }
    expect(named(card ?? tree, "pre").map(({ text }) => text.replace(/\s/g, ""))).toEqual(['["2"]', "[]"]);
    expect(shownIn(card)).toContain("--seed 4711 --only TSK-DEP-03/a");
  });

  test("before warnings and before the list of all checks", () => {
    const order = named(tree, "section").flatMap(({ attributes }) => attributes["id"] ?? []);
    expect(order).toEqual(["fail", "error", "warn", "untestable", "all", "level-L1", "level-L2"]);
  });
});

test("every check is in the list of its level, under its verdict", () => {
  const rows = ofClass(read(report(mixed)), "row").map(({ attributes }) => attributes["class"]);
  expect(rows).toEqual(["row pass", "row fail", "row warn", "row na", "row untestable", "row error"]);
});

test("each verdict and each level that occurs has a box that hides it, which the style sheet knows", () => {
  const text = html(report(mixed));
  const boxes = named(elementTree(text), "input").map(({ attributes }) => attributes["data-show"] ?? "");
  expect(boxes).toEqual(["pass", "fail", "warn", "na", "untestable", "error", "L1", "L2"]);
  for (const box of boxes) {
    expect(text).toContain(
      `body:has([data-show="${box}"]:not(:checked)) :is(li.row, .group, tbody tr).${box} { display: none; }`,
    );
  }
});

test("levels say whether they are met, and which of their clauses nothing asked about", () => {
  const tree = read(report([check()]));
  const [level] = ofClass(tree, "level");
  expect(shownIn(level)).toMatch(/L1 met .*1 passed, \d+ clauses not checked/);
  expect(shownIn(ofClass(tree, "unproved")[0])).toContain("ATP-TSK-031");
});

test("a graded directory claims no level, so none is met or missed", () => {
  const tree = read(report([check({ level: "L0" })], { mode: "grade", declaration: { ...declaration, levels: [] } }));
  expect(shownIn(ofClass(tree, "level")[0])).toContain("L0 graded");
});

test("an incomplete report is said to be, loudly, and so is an empty one", () => {
  const tree = read(report(mixed).slice(0, -1));
  expect(shownIn(ofClass(tree, "concerns")[0])).toContain("This report is incomplete");
  expect(ofClass(tree, "level").every((level) => shownIn(level).includes("not known"))).toBe(true);
  expect(shownIn(ofClass(read([]), "concerns")[0])).toContain("no header");
  expect(ofClass(read(report(mixed)), "concerns")).toEqual([]);
});

test("the homepage of a target is a link only if it is on the web", () => {
  const links = (homepage: string) =>
    named(read(report([], { declaration: { ...declaration, homepage } })), "a").map(
      ({ attributes }) => attributes["href"],
    );
  expect(links("https://example.com/x")).toEqual(["https://example.com/x"]);
  expect(links("javascript:alert(1)")).toEqual([]);
  expect(links(" https://example.com")).toEqual([]);
});

test("a history of several processes is drawn, and one of a single process is only listed", () => {
  const history = (procs: readonly number[]) =>
    procs.map((proc) => ({ proc, op: "task.get", args: {}, call: proc, ret: proc + 1, outcome: "ok" }));
  const failed = (procs: readonly number[]) => check({ verdict: "fail", evidence: { history: history(procs) } });
  expect(named(read(report([failed([0, 1])])), "svg")).toHaveLength(1);
  const single = read(report([failed([0, 0])]));
  expect(named(single, "svg")).toHaveLength(0);
  expect(named(ofClass(single, "calls")[0] ?? single, "tr")).toHaveLength(2);
});

test.each(hostile)("whatever a target says is text and nothing else: %s", (_, word) => {
  const tree = read(reportSaying(word));
  expectHarmless(tree);
  expect(ofClass(tree, "card")).toHaveLength(5);
  expect(words(tree)).toContain(plain(word));
});

test("thousands of checks and hundreds of histories make one page", () => {
  const text = html(longReport(3_000));
  expect(text.match(/<li class="row /g)).toHaveLength(3_000);
  expect(text.match(/<svg /g)).toHaveLength(300);
});
