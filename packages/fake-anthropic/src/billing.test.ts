import { describe, expect, test } from "vitest";
import { dollars, inputCost, usageOf } from "./billing.ts";
import { type Model, modelOf, models } from "./models.ts";

const known = (id: string): Model => {
  const model = modelOf(models, id);
  if (model === undefined) throw new Error(`no model ${id}`);
  return model;
};

const bill = { input: 100, read: 40_000, write5m: 2_000, write1h: 1_000 };

test.each([
  // 100 + 40000 r + 1.25·2000 + 2·1000 = 4600 + 40000 r
  ["claude-opus-5", 8_600],
  ["claude-opus-5-5", 6_600],
  ["claude-fable-5-1", 5_600],
])("a bill on %s costs as much as %d uncached tokens", (id, cost) => {
  expect(inputCost(bill, known(id))).toBe(cost);
});

describe("dollars", () => {
  test("the dollars of a request are the cost of input and output at the model's prices", () => {
    // 6600 · 4 / 10⁶ + 500 · 20 / 10⁶ = 0.0264 + 0.01
    expect(dollars(bill, 500, known("claude-opus-5-5"))).toBeCloseTo(0.0364, 10);
  });

  test("the dollars of a long prompt are higher for a model with a price step, and cached tokens count for its length", () => {
    const long = { input: 1, read: 100_000, write5m: 0, write1h: 0 };
    // 100,001 tokens: (1 + 0.1·100000) · 0.5 / 10⁶; one fewer: 0.1·100000 · 0.1 / 10⁶.
    expect(dollars(long, 0, known("claude-haiku-5-5"))).toBeCloseTo(0.0050005, 10);
    expect(dollars({ ...long, input: 0 }, 0, known("claude-haiku-5-5"))).toBeCloseTo(0.001, 10);
  });

  test("no dollars are given for a model without a known price", () => {
    expect(dollars(bill, 1, known("claude-opus-4-8"))).toBeUndefined();
  });
});

test("usage has the three parts of the input and the writes by their lifetime", () => {
  expect(usageOf(bill, 9)).toMatchObject({
    input_tokens: 100,
    cache_read_input_tokens: 40_000,
    cache_creation_input_tokens: 3_000,
    cache_creation: { ephemeral_5m_input_tokens: 2_000, ephemeral_1h_input_tokens: 1_000 },
    output_tokens: 9,
  });
});

test("a dated id names the model of its family, an unknown one none", () => {
  expect(modelOf(models, "claude-haiku-4-5-20251001")?.id).toBe("claude-haiku-4-5");
  expect(modelOf(models, "claude-2")).toBeUndefined();
});
