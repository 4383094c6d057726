import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { interopPage, type Result } from "./page.ts";
import { scenarios } from "./scenarios/index.ts";

const result = (client: string, found: Result["found"], more: Partial<Result> = {}): Result => ({
  client,
  day: "2026-11-19",
  solitude: "alone",
  found,
  ...more,
});

test("the page has versions in their order, and says of each check that fails whose side it is", () => {
  const what = "200 messages of ours reach its model, each once";
  const page = interopPage(
    [
      { id: "1", title: "a lead" },
      { id: "2", title: "a teammate" },
    ],
    [
      result(
        "claude-code@2.1.327",
        { "1": [{ what, state: "fails", note: "a | b <c>" }], "2": [], "control-4": [] },
        { runs: { "2": 3, "control-4": 9 } },
      ),
      result("claude-code@2.1.41", {
        "1": [
          { what, state: "fails", note: "of 200 1 are missing and 0 come twice" },
          { what: "joins", state: "works" },
        ],
      }),
      result("codebuddy@0.3.201", { "1": [] }, { runs: { "1": 2 }, differed: { "1": ["joins: fails, then works"] } }),
      result("claude-code@2.1.34", {}, { gone: "npm has no such version" }),
    ],
  );
  expect(page).toContain(
    "| scenario | claude-code 2.1.34 | claude-code 2.1.41 | claude-code 2.1.327 | codebuddy 0.3.201 |",
  );
  expect(page).toContain(
    "| 1. a lead | npm has no such version | works but for 1 of 2 | works but for 1 of 1 | not applicable |",
  );
  expect(page).toContain("| recorded runs of each scenario | none | 1 | 1 to 3 | 2 |");
  expect(page).toContain("- codebuddy@0.3.201, 1: joins: fails, then works");
  expect(page).toContain(`| claude-code@2.1.41 | 1 | ${what} | fails | client |`);
  expect(page).toContain(`| claude-code@2.1.327 | 1 | ${what} | fails | not looked into | a \\| b &lt;c> |`);
});

test("docs/interop.md says what the kept results say: npm run interop -- --record writes both", () => {
  const kept = join(import.meta.dirname, "results");
  const results = readdirSync(kept).map((name) => JSON.parse(readFileSync(join(kept, name), "utf8")));
  const page = readFileSync(join(import.meta.dirname, "../../docs/interop.md"), "utf8");
  expect(page).toBe(interopPage(scenarios, results));
});
