import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describedIn, htmlOf } from "./html.ts";
import { atLeast, atMost } from "./measure.ts";

const described = describedIn(readFileSync(new URL("../README.md", import.meta.url), "utf8"));

test("what a goal measures is found in the table of bench/README.md, also of goals that share a row", () => {
  expect(described.get("P0")).toBe("reading an inbox of 10,000 messages, against `JSON.parse` of the same text");
  expect(described.get("P2.mixed-failures")).toBe(described.get("P2.mixed"));
  expect(described.get("P15.log")).toBe(described.get("P15.show"));
  expect(described.get("P1.1000")).toContain("a send");
});

test("the page has each goal with its value beside its limit, and asks for no other file", () => {
  const results = { P0: atMost(3, [1.5, 2, 9]), "P2.mixed": atLeast(0.8, [0.5]), "P<x>": atMost(0, [0]) };
  const html = htmlOf(results, described, { machine: "2 x <cpu>", at: new Date("2026-11-19T12:00:00Z") });
  expect(html).toContain("2026-11-19, on 2 x &lt;cpu&gt;. 2 of 3 goals hold.");
  expect(html.match(/<tr>/g)).toHaveLength(3);
  expect(html).toContain('<td class="value">2</td><td>&lt;= 3</td><td>holds, noisy</td>');
  expect(html).toContain('<td class="value">0.5</td><td>&gt;= 0.8</td><td>falls short</td>');
  // The bar of 2 and the mark of 3 on a scale that ends beyond the widest round, 9.
  expect(html).toContain('style="width:21.2%"');
  expect(html).toContain('<i class="mark limit" style="left:31.7%">');
  expect(html).not.toMatch(/P<x>|src=|href=|url\(|@import|http/);
});
