import type { BlockPosition, FrozenMessage, Mark } from "./frozen.ts";
import type { Block } from "./model.ts";

/** Facts about a request when its breakpoints are placed. */
export interface MarkPlan {
  readonly messages: readonly FrozenMessage[];
  /**
   * The last block of the request before: a long turn would push it out of the lookback window of
   * the new one.
   */
  readonly sentEnd: BlockPosition | undefined;
  /**
   * Will another request begin with this one? A mark that is never read costs a quarter more and
   * saves nothing.
   */
  readonly isContinued: boolean;
}

/**
 * At most four breakpoints: the system prompt, the end of the request before, the end of the
 * results in the newest message, and its end. What follows the results differs between the forks of
 * one answer and their parent; what stands before it they share.
 */
export function planMarks({ messages, sentEnd, isContinued }: MarkPlan): readonly Mark[] {
  const newest = messages.length - 1;
  const end = endOf(messages, newest);
  const results = endOf(messages, newest, (block) => block.type === "tool_result");
  const marks = [
    sentEnd && lastUpTo(messages, sentEnd),
    ...(results?.block === end?.block ? [] : [results]),
    ...(isContinued ? [end] : []),
  ].flatMap((mark) => mark ?? []);
  return ["system", ...marks.filter((mark, at) => !marks.slice(0, at).some((other) => isSame(mark, other)))];
}

const isSame = (one: BlockPosition, other: BlockPosition): boolean =>
  one.message === other.message && one.block === other.block;

/**
 * The last place up to this one that could be marked when it was sent: an answer that paused while
 * it thought has none.
 */
function lastUpTo(messages: readonly FrozenMessage[], { message, block }: BlockPosition): BlockPosition | undefined {
  const place = endOf(messages, message, (_, at) => at <= block);
  if (place || message === 0) return place;
  return lastUpTo(messages, { message: message - 1, block: Number.POSITIVE_INFINITY });
}

/**
 * The last block of a message, of those looked for, that may carry a mark: thinking may not, an
 * empty text may not.
 */
function endOf(
  messages: readonly FrozenMessage[],
  message: number,
  isSought = (_block: Block, _at: number) => true,
): BlockPosition | undefined {
  const block = (messages[message]?.blocks ?? []).findLastIndex((json, at) => {
    const parsed: Block = JSON.parse(json);
    return isSought(parsed, at) && canCarryMark(parsed);
  });
  return block < 0 ? undefined : { message, block };
}

const canCarryMark = ({ type, text }: Block): boolean =>
  type !== "thinking" && type !== "redacted_thinking" && !(type === "text" && text === "");
