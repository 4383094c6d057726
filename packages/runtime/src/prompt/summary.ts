import type { CompactTrigger } from "../journal/entry.ts";
import { conversationOf, type State } from "../journal/state.ts";
import { type FrozenMessage, type Prefix, withoutThinking } from "../model/frozen.ts";
import type { Answer, Block } from "../model/model.ts";

const instruction = {
  type: "text",
  text: `The conversation is about to be replaced by a summary that you write now. Do not call tools. Write for yourself: you will continue with nothing but this summary:
1. what was asked for, in the original words, with every constraint;
2. what was done and found: files, functions, commands, results, decisions and their reasons;
3. errors met and how they were fixed;
4. what is in progress right now, and the next step.`,
};

/** Which summary is wanted. */
export interface SummaryWish {
  readonly trigger: CompactTrigger;
  /**
   * How often the older half of the rounds is left out, since the request with them did not fit.
   */
  readonly halvings: number;
  /** Further instructions for it. */
  readonly instructions?: string;
}

/**
 * The conversation that a summary is written of: all that the model has seen. Where that was too
 * much, the newest exchange is left out, and of the rest as many of the oldest rounds as it takes;
 * undefined where no round would be left.
 */
export function summaryPast(
  state: State,
  { trigger, halvings }: Pick<SummaryWish, "trigger" | "halvings">,
): (Pick<State, "sentEnd"> & { readonly prefix: Prefix; readonly messages: readonly FrozenMessage[] }) | undefined {
  const all = conversationOf(state);
  const fitting = trigger === "overflow" ? withoutNewest(all) : all;
  const messages = halvings > 0 ? withoutOldest(fitting, halvings) : fitting;
  if (!messages) return undefined;
  const { prefix = { key: { model: "", betas: [] }, tools: [], system: [] }, sentEnd: sent } = state;
  const isSentKept = sent === undefined || sent.message < messages.length;
  const sentEnd = isSentKept ? sent : { message: messages.length - 1, block: Number.POSITIVE_INFINITY };
  return { prefix, messages, sentEnd: halvings > 0 ? undefined : sentEnd };
}

/** How a summary is asked for. */
export const summaryWords = ({ instructions }: Pick<SummaryWish, "instructions">): readonly Block[] => [
  instruction,
  ...(instructions ? [{ type: "text", text: `Follow these instructions for the summary too:\n${instructions}` }] : []),
];

/** Down to a user's message, so that no call loses its result. */
function withoutNewest(messages: readonly FrozenMessage[]): readonly FrozenMessage[] {
  const answer = messages.findLastIndex(({ role }) => role === "assistant");
  return answer > 0 ? messages.slice(0, answer) : messages;
}

/**
 * The first words, and the newer rounds without their thinking, each from its answer on so that no
 * call loses its result.
 */
function withoutOldest(messages: readonly FrozenMessage[], halvings: number): readonly FrozenMessage[] | undefined {
  const answers = messages.flatMap(({ role }, at) => (role === "assistant" ? [at] : []));
  const newer = answers.slice(answers.length - Math.floor(answers.length / 2 ** halvings));
  if (newer.length === 0) return undefined;
  const rounds = withoutThinking(messages.slice(newer[0]));
  return [...messages.slice(0, answers[0]), ...rounds];
}

/**
 * The beginning of the conversation from now on; undefined where the answer is no summary, since
 * nothing may be replaced by nothing.
 */
export function summaryOf(
  { content, stopReason }: Answer,
  { trigger, halvings }: Pick<SummaryWish, "trigger" | "halvings">,
): string | undefined {
  const words = content.flatMap((block) => (block.type === "text" ? [String(block["text"])] : [])).join("\n");
  if (words.trim() === "" || stopReason === "refusal") return undefined;
  return [
    `This conversation continues an earlier one that outgrew the context window. Its summary:\n\n${words}`,
    ...(halvings > 0 ? ["Older steps did not fit and are not part of the summary."] : []),
    ...(trigger === "overflow"
      ? ["The newest step did not fit and is not part of the summary; its results are lost."]
      : []),
  ].join("\n\n");
}
