import { entryKeys, type InboxEntry } from "../inbox.ts";
import type { Codec } from "../revisions/codec.ts";
import type { InboxRead } from "../revisions/read.ts";

/** A message, with what tells it from every other of its inbox. */
export interface Message {
  readonly key: string;
  readonly entry: InboxEntry;
}

/**
 * The messages of an inbox, oldest first. Their keys are made when the first is asked for: that
 * takes longer than to read them, and who only shows messages needs none.
 */
export function messagesIn({ entries }: Pick<InboxRead, "entries">): Message[] {
  let keys: readonly string[] | undefined;
  return entries.map((entry, index) => ({
    get key() {
      keys ??= entryKeys(entries);
      return keys[index] as string;
    },
    entry,
  }));
}

/** The positions of the messages, in the inbox as read, for which the predicate holds. */
export function positionsOf(found: InboxRead, isMeant: (message: Message) => boolean): Set<number> {
  const messages = messagesIn(found);
  return new Set(found.positions.filter((_, index) => isMeant(messages[index] as Message)));
}

const attempts = 1_000;

/**
 * Recovers the messages before the point where an inbox was cut off. In the layout of every known
 * writer a message ends with a line of its own; elsewhere any brace may be its end.
 */
export function mendedEntries(bytes: Uint8Array, { readInbox }: Pick<Codec, "readInbox">): readonly unknown[] {
  const text = new TextDecoder().decode(bytes);
  const upTo = (end: number) => readInbox(`${text.slice(0, end)}\n]`).raw;
  const ownLine = text.lastIndexOf("\n  }");
  const whole = ownLine < 0 ? undefined : upTo(ownLine + "\n  }".length);
  if (whole) return whole;
  let end = text.length;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    end = text.lastIndexOf("}", end - 1);
    if (end < 0) break;
    const entries = upTo(end + 1);
    if (entries) return entries;
  }
  return [];
}
