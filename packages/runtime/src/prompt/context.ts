/** A model's limits, and what the user made of them. */
export interface CompactionInput {
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** The value of CLAUDE_AUTOCOMPACT_PCT_OVERRIDE, as it stands in the environment. */
  readonly percentOverride?: string | undefined;
}

/** When to summarise. */
export interface CompactionThreshold {
  readonly tokens: number;
  /** Why the override is without effect. */
  readonly problem?: string;
}

const usualPercent = 95;

/**
 * Room that is kept for the summary; a longer answer need not fit, since the API ends it at the
 * edge of the window and refuses nothing.
 */
export const summaryTokens = 8_000;

/**
 * The tokens at which the conversation is summarised. The override can only lower them, as in the
 * reference client.
 */
export function compactionThreshold(input: CompactionInput): CompactionThreshold {
  const { contextWindow, maxOutputTokens, percentOverride } = input;
  const room = Math.min(summaryTokens, maxOutputTokens, contextWindow / 2);
  const at = (percent: number) => Math.floor(Math.min((contextWindow * percent) / 100, contextWindow - room));
  const asked = percentOverride?.trim();
  if (!asked) return { tokens: at(usualPercent) };
  const percent = /^\d+(\.\d+)?$/.test(asked) ? Number(asked) : Number.NaN;
  if (percent >= 1 && percent <= usualPercent) return { tokens: at(percent) };
  const problem =
    percent > usualPercent && percent <= 100
      ? `CLAUDE_AUTOCOMPACT_PCT_OVERRIDE is ${asked}, which has no effect: it can only lower the usual ${usualPercent}`
      : `CLAUDE_AUTOCOMPACT_PCT_OVERRIDE is ${JSON.stringify(asked)} and ignored: set it to a percentage from 1 to 100`;
  return { tokens: at(usualPercent), problem };
}
