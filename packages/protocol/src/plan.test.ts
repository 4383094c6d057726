import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { layoutOf } from "./layout.ts";
import { expandHome, isPlanFileName, PlanDocument, planFileName } from "./plan.ts";
import { adjectives, nouns, verbs } from "./plan-words.ts";

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test("[PLAN-04] [ATP-FS-015] a plan file is plans/<adjective>-<verb>-<noun>.md below the root", () => {
  fc.assert(
    fc.property(fc.tuple(random, random, random), (numbers) => {
      const left = [...numbers];
      const name = planFileName(() => left.shift() ?? 0);
      const [adjective = "", verb = "", noun = ""] = name.replace(/\.md$/, "").split("-");
      expect(adjectives).toContain(adjective);
      expect(verbs).toContain(verb);
      expect(nouns).toContain(noun);
      expect(isPlanFileName(name)).toBe(true);
      expect(layoutOf("/home/dev/.claude").plan(name)).toBe(`/home/dev/.claude/plans/${name}`);
    }),
  );
});

test("[PLAN-04] the random source reaches the first and the last word of each list", () => {
  expect(planFileName(() => 0)).toBe(`${adjectives[0]}-${verbs[0]}-${nouns[0]}.md`);
  expect(planFileName(() => 1 - Number.EPSILON)).toBe(`${adjectives.at(-1)}-${verbs.at(-1)}-${nouns.at(-1)}.md`);
  for (const bad of [1, -1, Number.NaN, Number.POSITIVE_INFINITY])
    expect(isPlanFileName(planFileName(() => bad))).toBe(true);
});

test.each([
  ["adjectives", adjectives],
  ["verbs", verbs],
  ["nouns", nouns],
])("%s are at least 64 plain words, none twice", (_, words) => {
  expect(words.length).toBeGreaterThanOrEqual(64);
  expect(new Set(words).size).toBe(words.length);
  for (const word of words) expect(word).toMatch(/^[a-z]{3,10}$/);
});

test.each([
  ["snug-inventing-popcorn.md", true],
  ["plan.md", false],
  ["snug-inventing-popcorn", false],
  ["Snug-inventing-popcorn.md", false],
  ["../snug-inventing-popcorn.md", false],
  ["a-b-c-d.md", false],
  ["a--c.md", false],
  ["snug-inventing-popcorn.md\n", false],
])("[PLAN-04] %j as a plan file's name: %s", (name, expected) => {
  expect(isPlanFileName(name)).toBe(expected);
});

test.each([
  ["~/.claude/plans/a-b-c.md", "/home/dev", "/home/dev/.claude/plans/a-b-c.md"],
  ["~/x", "/", "/x"],
  ["~/x", "/home/dev/", "/home/dev/x"],
  ["~", "/home/dev", "/home/dev"],
  ["/home/dev/~/x", "/home/dev", "/home/dev/~/x"],
  ["~other/x", "/home/dev", "~other/x"],
  ["/abs/x.md", "/home/dev", "/abs/x.md"],
  ["", "/home/dev", ""],
])("the path %j with home %j is %j", (path, home, expected) => {
  expect(expandHome(path, home)).toBe(expected);
});

test("the example is valid", () => {
  const { examples } = z.toJSONSchema(PlanDocument, { io: "input" });
  expect(z.tuple([PlanDocument]).safeParse(examples).success).toBe(true);
});
