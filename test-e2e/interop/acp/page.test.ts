import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { acpPage } from "./page.ts";

test("the page has each check by agent, and says of what fails that nobody has looked into it", () => {
  const what = "takes a task";
  const page = acpPage([
    { agent: "qwen", wanted: "q@1", day: "2026-11-19", found: [{ what, state: "fails", note: "a | b" }] },
    { agent: "codex", wanted: "c@2", day: "2026-11-18", found: [{ what, state: "works" }] },
  ]);
  expect(page).toContain("|  | codex | qwen |");
  expect(page).toContain(`| ${what} | works | fails |`);
  expect(page).toContain(`| qwen | ${what} | fails | not looked into | a \\| b |`);
});

test("docs/interop-acp.md says what the kept results say: npm run interop -- acp --record writes both", () => {
  const results = JSON.parse(readFileSync(join(import.meta.dirname, "results.json"), "utf8"));
  const page = readFileSync(join(import.meta.dirname, "../../../docs/interop-acp.md"), "utf8");
  expect(page).toBe(acpPage(results));
});
