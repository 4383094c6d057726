import { costOf } from "../model/catalog.ts";
import { sentTokens } from "../model/model.ts";
import type { Entry } from "./entry.ts";

/** What a conversation has come to in all its turns. */
export interface Spent {
  readonly answers: number;
  /** Sent and answered. */
  readonly tokens: number;
  /** In US dollars; undefined once the price of a model was not known. */
  readonly cost: number | undefined;
}

export const nothingSpent: Spent = { answers: 0, tokens: 0, cost: 0 };

export function spentAfter(spent: Spent, entry: Entry, ofPrefix = ""): Spent {
  if (entry.kind !== "answered" && entry.kind !== "compacted") return spent;
  const isAnswer = entry.kind === "answered";
  const usage = isAnswer ? entry.answer.usage : entry.usage;
  const cost = costOf(usage, isAnswer ? entry.answer.model : ofPrefix);
  return {
    answers: spent.answers + (isAnswer ? 1 : 0),
    tokens: spent.tokens + sentTokens(usage) + usage.output,
    cost: spent.cost === undefined || cost === undefined ? undefined : spent.cost + cost,
  };
}

/** What the turns of a conversation may come to, all of them together. */
export interface Caps {
  readonly maxTurns?: number;
  readonly maxTokens?: number;
  /** In US dollars. */
  readonly maxCost?: number;
}

/** Which cap is reached, in words; a cost that is not known is more than any. */
export function capReached({ answers, tokens, cost }: Spent, caps: Caps = {}): string | undefined {
  const { maxTurns, maxTokens, maxCost } = caps;
  if (maxTurns !== undefined && answers >= maxTurns) return `its cap of ${maxTurns} turns is reached`;
  if (maxTokens !== undefined && tokens >= maxTokens) return `its cap of ${maxTokens} tokens is reached (${tokens})`;
  if (maxCost === undefined) return undefined;
  if (cost === undefined) return `its cost is capped at $${maxCost}, and the price of its model is not known`;
  return cost >= maxCost ? `its cap of $${maxCost} is reached ($${cost.toFixed(4)})` : undefined;
}
