import { z } from "zod";
import type { Usage } from "./model.ts";

const count = z.number().nullish().catch(0);
const Created = z.object({ ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count });
const WireUsage = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  cache_creation: Created.nullish().catch(null),
});

/**
 * The API's counts; where it does not tell the two lifetimes apart, the shorter is meant. What is
 * not a count is none.
 */
export function readUsage(usage: unknown): Usage {
  const { data } = WireUsage.safeParse(usage);
  const created = data?.cache_creation;
  return {
    input: data?.input_tokens ?? 0,
    cacheRead: data?.cache_read_input_tokens ?? 0,
    cacheWrite5m: (created ? created.ephemeral_5m_input_tokens : data?.cache_creation_input_tokens) ?? 0,
    cacheWrite1h: created?.ephemeral_1h_input_tokens ?? 0,
    output: data?.output_tokens ?? 0,
  };
}

/** The same counts as the API spells them. */
export const writeUsage = ({ input, cacheRead, cacheWrite5m, cacheWrite1h, output }: Usage) => ({
  input_tokens: input,
  cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
  cache_read_input_tokens: cacheRead,
  cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
  output_tokens: output,
});
