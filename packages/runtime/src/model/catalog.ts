import { sentTokens, type Usage } from "./model.ts";

/** Dollars a million tokens. */
interface Price {
  readonly input: number;
  readonly output: number;
}

/** Documented facts of a model. */
export interface ModelInfo {
  readonly id: string;
  /** Tokens of a request and its answer together. */
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** A shorter prefix is not cached, and nobody is told. */
  readonly minCacheableTokens: number;
  /** The price of a token read from the cache, as a part of an input token. */
  readonly readMultiplier: number;
  readonly price?: Price;
  /**
   * The price of a whole request that sends more tokens than `above`, those from the cache counted.
   */
  readonly longPrice?: Price & { readonly above: number };
}

/** The price of a token written to the cache, in input tokens; the same for every model. */
const writeMultipliers = { "5m": 1.25, "1h": 2 } as const;

const wide = { contextWindow: 1_000_000, maxOutputTokens: 128_000 };
const narrow = { contextWindow: 200_000, maxOutputTokens: 64_000 };
const usual = { minCacheableTokens: 512, readMultiplier: 0.1 };

const fable = { input: 10, output: 50 };
const opus = { input: 5, output: 25 };
const sonnet = { input: 3, output: 15 };
const lighter = { input: 2, output: 10 };

/**
 * Newest first; where a window is not documented the narrow one stands, since compacting early
 * costs a summary and late costs the turn.
 */
export const catalog: readonly ModelInfo[] = [
  { id: "claude-fable-5-2", ...usual, ...narrow },
  { id: "claude-mythos-5-2", ...usual, ...narrow },
  { id: "claude-fable-5-1", ...usual, ...wide, readMultiplier: 0.025, price: fable },
  { id: "claude-mythos-5-1", ...usual, ...wide, readMultiplier: 0.025, price: fable },
  { id: "claude-opus-5-5", ...usual, ...wide, readMultiplier: 0.05, price: { input: 4, output: 20 } },
  { id: "claude-sonnet-5-5", ...usual, ...wide, readMultiplier: 0.05, price: lighter },
  {
    id: "claude-haiku-5-5",
    ...usual,
    ...wide,
    price: { input: 0.1, output: 0.5 },
    longPrice: { above: 100_000, input: 0.5, output: 2.5 },
  },
  { id: "claude-fable-5", ...usual, ...wide, price: fable },
  { id: "claude-mythos-5", ...usual, ...wide, price: fable },
  { id: "claude-opus-5", ...usual, ...wide, price: opus },
  { id: "claude-sonnet-5", ...usual, ...wide, minCacheableTokens: 1024, price: lighter },
  { id: "claude-opus-4-8", ...usual, ...wide, minCacheableTokens: 1024, price: opus },
  { id: "claude-opus-4-7", ...usual, ...wide, minCacheableTokens: 2048, price: opus },
  { id: "claude-mythos-preview", ...usual, ...narrow, minCacheableTokens: 2048 },
  { id: "claude-opus-4-6", ...usual, ...wide, minCacheableTokens: 4096, price: opus },
  {
    id: "claude-sonnet-4-6",
    ...usual,
    contextWindow: 1_000_000,
    maxOutputTokens: 64_000,
    minCacheableTokens: 1024,
    price: sonnet,
  },
  { id: "claude-opus-4-5", ...usual, ...narrow, minCacheableTokens: 4096, price: opus },
  { id: "claude-sonnet-4-5", ...usual, ...narrow, minCacheableTokens: 1024, price: sonnet },
  { id: "claude-haiku-4-5", ...usual, ...narrow, minCacheableTokens: 4096, price: { input: 1, output: 5 } },
];

/** The meaning of an alias: of each family, the newest model that the documentation describes. */
export const currentModels = {
  fable: "claude-fable-5-1",
  opus: "claude-opus-5-5",
  sonnet: "claude-sonnet-5-5",
  haiku: "claude-haiku-5-5",
} as const;

/**
 * The model of an id, also where the id carries a date or a cloud's prefix. One that is not known
 * is taken to have the smallest window and the longest shortest prefix, and has no price.
 */
export function modelInfo(id: string): ModelInfo {
  const name = /claude-[a-z]+-(?:preview|\d+(?:-\d{1,2})?)(?!\d)/.exec(id)?.[0];
  const known = catalog.find((model) => model.id === name);
  return known ? { ...known, id } : { id, ...usual, ...narrow, maxOutputTokens: 32_000, minCacheableTokens: 4096 };
}

/** Dollars, or undefined for a model whose price is not known. */
export function costOf(usage: Usage, model: string): number | undefined {
  const { price, longPrice, readMultiplier } = modelInfo(model);
  const rate = longPrice && sentTokens(usage) > longPrice.above ? longPrice : price;
  if (!rate) return undefined;
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output } = usage;
  const written = writeMultipliers["5m"] * cacheWrite5m + writeMultipliers["1h"] * cacheWrite1h;
  return ((input + readMultiplier * cacheRead + written) * rate.input + output * rate.output) / 1_000_000;
}

/**
 * Tokens of an answer: it is cut where most end long before, and the retry of a cut one may be as
 * long as the model can.
 */
export const answerLimits = ({ maxOutputTokens }: Pick<ModelInfo, "maxOutputTokens">) => ({
  answerTokens: Math.min(32_000, maxOutputTokens),
  maxAnswerTokens: maxOutputTokens,
});
