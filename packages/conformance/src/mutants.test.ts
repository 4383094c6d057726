import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const mutants = join(import.meta.dirname, "../mutants");
const root = join(import.meta.dirname, "../../..");
const patches = readdirSync(mutants).filter((name) => name.endsWith(".patch"));

test("there are mutants", () => {
  expect(patches.length).toBeGreaterThan(20);
});

test.each(patches)("%s still applies", (patch) => {
  expect(() =>
    execFileSync("git", ["apply", "--check", join(mutants, patch)], { cwd: root, stdio: "pipe" }),
  ).not.toThrow();
});
