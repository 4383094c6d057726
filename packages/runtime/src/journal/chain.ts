import type { FrozenMessage } from "../model/frozen.ts";

/** Messages from the newest to the oldest: appending copies nothing, in any conversation. */
export interface Chain {
  readonly message: FrozenMessage;
  readonly before: Chain | undefined;
  readonly length: number;
}

/** From the oldest to the newest. */
export function messagesOf(chain: Chain | undefined): readonly FrozenMessage[] {
  const messages: FrozenMessage[] = [];
  for (let link = chain; link; link = link.before) messages.push(link.message);
  return messages.reverse();
}

/** A paused answer goes on in the same message, and one that is empty is none. */
export function spoken(before: Chain | undefined, blocks: readonly string[]): Chain | undefined {
  if (blocks.length === 0) return before;
  if (before?.message.role !== "assistant") return link(before, { role: "assistant", blocks });
  return { ...before, message: { role: "assistant", blocks: [...before.message.blocks, ...blocks] } };
}

export const link = (before: Chain | undefined, message: FrozenMessage): Chain => ({
  message,
  before,
  length: (before?.length ?? 0) + 1,
});
