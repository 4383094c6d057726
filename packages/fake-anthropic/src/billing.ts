import type { Breakpoint } from "./breakpoints.ts";
import type { Model } from "./models.ts";

/** The input tokens of a request, by what they cost. */
export interface Bill {
  readonly input: number;
  readonly read: number;
  readonly write5m: number;
  readonly write1h: number;
}

/**
 * What a request pays: what is read ends at the hit (A), what is written for an hour ends at the
 * last 1h breakpoint behind it (B), what is written for five minutes at the last breakpoint (C).
 */
export function billOf(lengths: readonly number[], hit: number, breakpoints: readonly Breakpoint[]): Bill {
  const lengthAt = (index: number) => lengths[index] ?? 0;
  const behind = breakpoints.filter(({ index }) => index > hit);
  const read = lengthAt(hit);
  const long = Math.max(read, ...behind.filter(({ ttl }) => ttl === "1h").map(({ index }) => lengthAt(index)));
  const last = Math.max(long, ...behind.map(({ index }) => lengthAt(index)));
  return { read, write1h: long - read, write5m: last - long, input: lengthAt(lengths.length - 1) - last };
}

/** The input in tokens of uncached input: what it costs, whatever the price of one is. */
export const inputCost = ({ input, read, write5m, write1h }: Bill, { readMultiplier }: Pick<Model, "readMultiplier">) =>
  input + readMultiplier * read + 1.25 * write5m + 2 * write1h;

export const promptTokens = ({ input, read, write5m, write1h }: Bill): number => input + read + write5m + write1h;

/** Dollars, or undefined for a model whose price is not known. */
export function dollars(bill: Bill, outputTokens: number, model: Model): number | undefined {
  const { price, longPrice } = model;
  const { input, output } = longPrice && promptTokens(bill) > longPrice.above ? longPrice : (price ?? {});
  if (input === undefined || output === undefined) return undefined;
  return (inputCost(bill, model) * input + outputTokens * output) / 1_000_000;
}

/** The bill as the API writes it into an answer. */
export const usageOf = ({ input, read, write5m, write1h }: Bill, outputTokens: number) => ({
  input_tokens: input,
  cache_creation_input_tokens: write5m + write1h,
  cache_read_input_tokens: read,
  cache_creation: { ephemeral_5m_input_tokens: write5m, ephemeral_1h_input_tokens: write1h },
  output_tokens: outputTokens,
  service_tier: "standard",
});

export type Usage = ReturnType<typeof usageOf>;
