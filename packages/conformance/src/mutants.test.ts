import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { assetPath, assetText } from "./assets.ts";
import { allChecks } from "./checks/index.ts";
import { loadRequirements, revisions } from "./requirement.ts";
import { killersOf, type Mutant, traceability } from "./traceability.ts";
import { traceabilityPage } from "./traceability-page.ts";

const root = assetPath("../..");
const folder = assetPath("mutants");
const patches = readdirSync(folder).filter((name) => name.endsWith(".patch"));
const { mutants } = parse(assetText("mutants/mutants.yaml")) as { readonly mutants: readonly Mutant[] };
const checks = allChecks();
const sets = revisions.map(loadRequirements);

test("all patches still apply, each by itself", () => {
  const stale = patches.filter((patch) => {
    try {
      execFileSync("git", ["apply", "--check", join(folder, patch)], { cwd: root, stdio: "pipe" });
      return false;
    } catch {
      return true;
    }
  });
  expect(stale).toEqual([]);
});

test("each mutant stands once in the list, and has a patch unless no check of levels 0 to 2 can notice it", () => {
  const ids = mutants.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
  const patched = mutants.filter(({ kills }) => kills.length > 0).map(({ id }) => `${id}.patch`);
  expect(patched.toSorted()).toEqual(patches.toSorted());
  const beyond = mutants.filter(({ kills }) => kills.length === 0);
  expect(beyond.filter(({ level = "L0" }) => level < "L3")).toEqual([]);
});

test("a mutant is to be noticed by checks that there are, about a clause that binds the revision", () => {
  const wrong = mutants.flatMap(({ id, kills }) =>
    kills
      .filter(({ check, clause, revisions }) => {
        const found = checks.find((one) => one.id === check);
        const binding = sets.filter(({ rows }) => rows.some((row) => row.id === clause)).map((set) => set.revision);
        const isBound = revisions.every((one) => found?.revisions.includes(one) && binding.includes(one));
        return !found?.requirements.includes(clause) || revisions.length === 0 || !isBound;
      })
      .map(({ check, clause }) => `${id} ${check} ${clause}`),
  );
  expect(wrong).toEqual([]);
});

test("every check has a mutant that it notices", () => {
  const unproved = checks.filter(({ id }) => killersOf(id, mutants).length === 0).map(({ id }) => id);
  expect(unproved).toEqual([]);
});

test("the page of traceability is the one that checks and mutants make", () => {
  const page = readFileSync(join(root, "docs/conformance/traceability.md"), "utf8");
  expect(page).toBe(traceabilityPage(traceability(checks, sets, mutants), mutants));
});
