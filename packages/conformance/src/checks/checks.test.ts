import { describe, expect, test } from "vitest";
import { methodLevels } from "../adapter/wire.ts";
import { loadRequirements, revisions } from "../requirement.ts";
import { traceability } from "../traceability.ts";
import { allChecks } from "./index.ts";

const checks = allChecks();
const sets = revisions.map(loadRequirements);
const traces = traceability(checks, sets);

test("every check has an id of its own", () => {
  expect(checks.map(({ id }) => id)).toEqual([...new Set(checks.map(({ id }) => id))]);
});

test("every check names clauses that there are, and is for revisions that one of them binds", () => {
  const known = new Map(traces.map(({ requirement }) => [requirement.id, requirement.revisions]));
  for (const { id, requirements, revisions } of checks) {
    const bound = requirements.map((name) => known.get(name));
    expect(bound, id).not.toContain(undefined);
    expect(
      revisions.some((revision) => bound.some((one) => one?.includes(revision))),
      id,
    ).toBe(true);
  }
});

test.each(sets)("the clauses of a check share one obligation in $revision", ({ rows }) => {
  const mixed = checks.filter(({ requirements }) => {
    const found = rows.filter(({ id }) => requirements.includes(id)).map(({ obligation }) => obligation);
    return new Set(found).size > 1;
  });
  expect(mixed.map(({ id }) => id)).toEqual([]);
});

test("every check needs methods that the adapter protocol has, and stands at their level", () => {
  const levelOf = methodLevels();
  for (const { id, needs, level } of checks) {
    const found = needs.methods.map((method) => levelOf.get(method));
    expect(found, id).not.toContain(undefined);
    expect(
      found.every((one) => (one ?? "") <= level),
      id,
    ).toBe(true);
  }
});

describe.each(["L0", "L1"] as const)("%s", (level) => {
  test("every clause is asked about by a check", () => {
    const mine = traces.filter(({ requirement }) => requirement.level === level);
    expect(mine.length).toBeGreaterThan(25);
    const silent = mine.filter(({ checks }) => checks.length === 0).map(({ requirement }) => requirement.id);
    expect(silent).toEqual([]);
  });
});
