import type { InboxEntry } from "@troupe/protocol";
import { type Message, messagesIn } from "@troupe/protocol/rules";

/** The mail of one member, or of one who is none. */
export interface MailView {
  readonly agent: string;
  /** What the messages say, oldest first. */
  readonly entries: readonly InboxEntry[];
  /** The same with their keys, made when first asked for: that takes longer than reading. */
  readonly messages: readonly Message[];
}

/** The mail that these entries are. */
export function mailView(agent: string, entries: readonly InboxEntry[]): MailView {
  let messages: readonly Message[] | undefined;
  return {
    agent,
    entries,
    get messages() {
      messages ??= messagesIn({ entries });
      return messages;
    },
  };
}
