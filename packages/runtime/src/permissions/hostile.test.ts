import { afterAll, describe, expect, test } from "vitest";
import { hostileGround } from "../../test/hostile-ground.ts";
import { rowsOf, tableNames } from "../../test/hostile-rows.ts";

const ground = hostileGround();
afterAll(() => ground.remove());

/** Tables whose rows name a tool and what it is given; the others hold shell commands. */
const ofTools = new Set(["hosts", "paths"]);

describe.each(tableNames)("%s", (table) => {
  test.each(rowsOf(table))("$under $text: $verdict, since $why", (row) => {
    const [tool = "", input = ""] = ofTools.has(table) ? row.text.split(/ (.*)/s) : ["Bash", row.text];
    const found = ground.judge({ ...row, tool, input: ground.written(input) });
    expect(found.behavior, found.reason).toBe(row.verdict);
  });
});

test("there are more than two thousand hostile inputs", () => {
  const hostile = tableNames.filter((table) => table !== "everyday").flatMap(rowsOf);
  expect(hostile.filter(({ verdict }) => verdict !== "allow").length).toBeGreaterThan(2_000);
});

test("of a hundred everyday commands that only read, at most eight are asked about", () => {
  const everyday = rowsOf("everyday");
  const asked = everyday.filter(({ verdict, why }) => verdict === "ask" && why.startsWith("it reads, and"));
  expect(everyday.filter(({ verdict }) => verdict === "allow").length).toBeGreaterThan(100);
  expect(asked.length).toBeLessThanOrEqual(8);
});
