import type { CompactTrigger } from "../journal/entry.ts";
import { conversationOf, type State } from "../journal/state.ts";
import type { Answer } from "../model/model.ts";
import { type FrozenMessage, type FrozenRequest, freeze } from "./frozen.ts";
import { planMarks } from "./marks.ts";

const instruction = freeze({
  type: "text",
  text: `The conversation is about to be replaced by a summary that you write now. Do not call tools. Write for yourself, who will go on with nothing else:
1. what was asked for, in the words of whoever asked, with every constraint;
2. what was done and found: files, functions, commands, results, decisions and their reasons;
3. errors met and how they were mended;
4. what is going on right now, and the very next step.`,
});

/** Asks for a summary of all that the model has seen. Where that was too much, the newest exchange is left out. */
export function summaryRequest(state: State, trigger: CompactTrigger, maxTokens: number): FrozenRequest {
  const all = conversationOf(state);
  const kept = trigger === "overflow" ? withoutNewest(all) : all;
  const messages = asked(kept);
  const isSentKept = state.sentEnd === undefined || state.sentEnd.message < kept.length;
  const sentEnd = isSentKept ? state.sentEnd : { message: kept.length - 1, block: Number.POSITIVE_INFINITY };
  const marks = planMarks({ messages, sentEnd, isContinued: false });
  const { key, tools, system } = state.prefix ?? { key: { model: "", betas: [] }, tools: [], system: [] };
  return { key, tools, system, messages, marks, maxTokens };
}

function asked(messages: readonly FrozenMessage[]): readonly FrozenMessage[] {
  const newest = messages.at(-1);
  if (newest?.role !== "user") return [...messages, { role: "user", blocks: [instruction] }];
  return [...messages.slice(0, -1), { role: "user", blocks: [...newest.blocks, instruction] }];
}

/** Down to a user's message, so that no call loses its result. */
function withoutNewest(messages: readonly FrozenMessage[]): readonly FrozenMessage[] {
  const answer = messages.findLastIndex(({ role }) => role === "assistant");
  return answer > 0 ? messages.slice(0, answer) : messages;
}

/** What the conversation begins with from now on; undefined where the answer is no summary, since nothing may be replaced by nothing. */
export function summaryOf({ content, stopReason }: Answer, trigger: CompactTrigger): string | undefined {
  const words = content.flatMap((block) => (block.type === "text" ? [String(block["text"])] : [])).join("\n");
  if (words.trim() === "" || stopReason === "refusal") return undefined;
  const lost =
    trigger === "overflow"
      ? "\n\nThe newest step did not fit and is not part of the summary; its results are lost."
      : "";
  return `This conversation goes on from an earlier one that outgrew the context window. Its summary:\n\n${words}${lost}`;
}
