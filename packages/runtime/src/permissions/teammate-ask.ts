import { type Ask, type Badge, bubbleTo } from "./ask.ts";

export interface TeammateAskDeps {
  /** The screen of the lead, where the teammate runs in its process. */
  readonly bridge?: Ask;
  /** Asks the lead by message. */
  readonly mailbox: Ask;
  readonly badge: Badge;
}

/** Whom a teammate asks about what it may not decide alone: the person at the lead's screen at once, or the lead's inbox where there is no screen. */
export const teammateAsk = ({ bridge, mailbox, badge }: TeammateAskDeps): Ask =>
  bridge ? bubbleTo(bridge, badge) : mailbox;
