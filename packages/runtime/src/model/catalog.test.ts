import { models } from "@troupe/fake-anthropic";
import { expect, test } from "vitest";
import { catalog, costOf, currentModels, modelInfo } from "./catalog.ts";
import { noUsage } from "./model.ts";

const million = 1_000_000;

test("what the catalogue says of a model is what the fake API enforces", () => {
  const facts = models.map(({ id, minimumTokens, readMultiplier }) => ({ id, minimumTokens, readMultiplier }));
  expect(
    facts.map(({ id }) => {
      const { minCacheableTokens: minimumTokens, readMultiplier } = modelInfo(id);
      return { id, minimumTokens, readMultiplier };
    }),
  ).toEqual(facts);
  for (const { id, price, longPrice, contextTokens, maxOutputTokens } of models) {
    const info = modelInfo(id);
    if (price) expect([id, info.price, info.longPrice]).toEqual([id, price, longPrice]);
    if (contextTokens) expect([id, info.contextWindow]).toEqual([id, contextTokens]);
    if (maxOutputTokens) expect([id, info.maxOutputTokens]).toEqual([id, maxOutputTokens]);
  }
});

test("every model stands once in the catalogue, and every alias means one of them", () => {
  const ids = catalog.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(Object.values(currentModels).filter((id) => !ids.includes(id))).toEqual([]);
});

test.each([
  ["claude-opus-5-5-20261001", "claude-opus-5-5"],
  ["claude-sonnet-5-20260630", "claude-sonnet-5"],
  ["us.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5"],
  ["claude-sonnet-4-5@20250929", "claude-sonnet-4-5"],
  ["claude-mythos-preview", "claude-mythos-preview"],
])("%s has the facts of %s", (id, known) => {
  expect(modelInfo(id)).toEqual({ ...catalog.find((model) => model.id === known), id });
});

test.each(["claude-opus-5-7", "claude-opus-5-51", "claude-opus-4-20250514", "claude-opus-55", "gpt-9", ""])(
  "'%s', which nobody described, is taken to have a small window and no price",
  (id) => {
    expect(modelInfo(id)).toMatchObject({ id, contextWindow: 200_000, maxOutputTokens: 32_000 });
    expect(modelInfo(id).minCacheableTokens).toBe(Math.max(...catalog.map((one) => one.minCacheableTokens)));
    expect(costOf({ ...noUsage, input: million }, id)).toBeUndefined();
  },
);

test.each([
  ["input", 4],
  ["cacheRead", 0.2],
  ["cacheWrite5m", 5],
  ["cacheWrite1h", 8],
  ["output", 20],
])("a million tokens of %s cost $%d on Opus 5.5", (kind, dollars) => {
  expect(costOf({ ...noUsage, [kind]: million }, "claude-opus-5-5")).toBeCloseTo(dollars, 10);
});

test("Haiku 5.5 costs five times as much from the first token on, once more than 100,000 are sent, cached ones counted", () => {
  const short = { ...noUsage, input: 1_000, cacheRead: 99_000, output: 1_000 };
  const cost = (1_000 * 0.1 + 99_000 * 0.01 + 1_000 * 0.5) / million;
  expect(costOf(short, "claude-haiku-5-5")).toBeCloseTo(cost, 12);
  const long = { ...short, cacheRead: 99_001 };
  expect(costOf(long, "claude-haiku-5-5")).toBeCloseTo((1_000 * 0.5 + 99_001 * 0.05 + 1_000 * 2.5) / million, 12);
  expect(costOf({ ...short, output: 2_000 }, "claude-haiku-5-5")).toBeCloseTo(cost + 0.0005, 12);
});
