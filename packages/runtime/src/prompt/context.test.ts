import { expect, test } from "vitest";
import { modelInfo } from "../model/catalog.ts";
import { compactionThreshold } from "./context.ts";

const window = { contextWindow: 200_000, maxOutputTokens: 64_000 };

test.each(["claude-opus-5-5", "claude-haiku-4-5", "a model nobody knows"])(
  "[UI-09] on %s the conversation is summarised at 95 percent of the window",
  (id) => {
    const model = modelInfo(id);
    expect(compactionThreshold(model)).toEqual({ tokens: model.contextWindow * 0.95 });
  },
);

test.each([
  ["50", 100_000],
  ["1", 2_000],
  ["12.5", 25_000],
  ["95", 190_000],
  [" 80 ", 160_000],
])("[UI-09] CLAUDE_AUTOCOMPACT_PCT_OVERRIDE=%s makes it %d tokens", (percentOverride, tokens) => {
  expect(compactionThreshold({ ...window, percentOverride })).toEqual({ tokens });
});

test.each(["96", "100"])("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE=%s cannot raise it, and says so", (percentOverride) => {
  const { tokens, problem } = compactionThreshold({ ...window, percentOverride });
  expect(tokens).toBe(190_000);
  expect(problem).toContain("can only lower");
});

test.each(["0", "0.8", "101", "-5", "50%", "fifty", "1e1", "NaN", "Infinity"])(
  "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE=%s is ignored, and what would be right is said",
  (percentOverride) => {
    const { tokens, problem } = compactionThreshold({ ...window, percentOverride });
    expect(tokens).toBe(190_000);
    expect(problem).toContain(JSON.stringify(percentOverride));
    expect(problem).toContain("from 1 to 100");
  },
);

test.each([undefined, "", " "])("an override that is '%s' is none", (percentOverride) => {
  expect(compactionThreshold({ ...window, percentOverride })).toEqual({ tokens: 190_000 });
});

test("in a small window there is room left for a summary", () => {
  expect(compactionThreshold({ contextWindow: 32_000, maxOutputTokens: 64_000 })).toEqual({ tokens: 24_000 });
  expect(compactionThreshold({ contextWindow: 32_000, maxOutputTokens: 4_000 })).toEqual({ tokens: 28_000 });
  expect(compactionThreshold({ contextWindow: 9_000, maxOutputTokens: 8_000 })).toEqual({ tokens: 4_500 });
});
