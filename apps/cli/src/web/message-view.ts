import { isUnread } from "@troupe/protocol";
import type { Message } from "@troupe/store";
import type { MessagesView, MessageView, ThreadView } from "@troupe/web";
import { shownMessage } from "../mail/message.ts";
import { openVouchers } from "../mail/vouchers.ts";
import type { LookedAt } from "./look.ts";

/** So many messages stand on a page. */
const pageSize = 100;

/** All messages to a member, oldest first; undefined where it has no mail and is no member. */
export function inboxView(looked: LookedAt, name: string, before: string | undefined): MessagesView | undefined {
  const found = looked.overview.mail.find(({ agent }) => agent === name);
  const isMember = looked.overview.members.some(({ member }) => member.name === name);
  if (!found && !isMember) return undefined;
  return pageOf(
    (found?.messages ?? []).map((message) => ({ to: name, message })),
    looked,
    before,
  );
}

interface Sent {
  readonly to: string;
  readonly message: Message;
}

/** All that two members said to each other, in the order of its time. */
export function threadView(looked: LookedAt, one: string, other: string, before: string | undefined): MessagesView {
  return pageOf(between(looked).get(pairOf(one, other)) ?? [], looked, before);
}

/** All conversations, the newest first. */
export function threadViews(looked: LookedAt): readonly ThreadView[] {
  return [...between(looked)]
    .map(([pair, sent]): ThreadView => {
      const [one = "", other = ""] = JSON.parse(pair) as readonly string[];
      const last = sent.at(-1);
      const { from, timestamp: at } = last?.message.entry ?? { from: one, timestamp: "" };
      const { kind, line } = shownMessage(last?.message.entry ?? { text: "" }, looked.overview.form);
      const unread = sent.filter(({ message }) => isUnread(message.entry)).length;
      return { between: [one, other], total: sent.length, unread, last: { from, at, kind, line } };
    })
    .sort((a, b) => momentOf(b.last.at) - momentOf(a.last.at));
}

const pairOf = (one: string, other: string): string => JSON.stringify([one, other].sort());

function between({ overview }: LookedAt): ReadonlyMap<string, readonly Sent[]> {
  const pairs = new Map<string, Sent[]>();
  for (const { agent: to, messages } of overview.mail)
    for (const message of messages) {
      const pair = pairOf(message.entry.from, to);
      const sent = pairs.get(pair);
      if (sent) sent.push({ to, message });
      else pairs.set(pair, [{ to, message }]);
    }
  for (const sent of pairs.values())
    sent.sort((a, b) => momentOf(a.message.entry.timestamp) - momentOf(b.message.entry.timestamp));
  return pairs;
}

/** What is no time stands at the beginning. */
const momentOf = (text: string): number => Date.parse(text) || 0;

function pageOf(sent: readonly Sent[], { overview, events }: LookedAt, before: string | undefined): MessagesView {
  const at = before === undefined ? sent.length : sent.findIndex((one) => placeOf(one) === before);
  const end = at < 0 ? sent.length : at;
  const start = Math.max(0, end - pageSize);
  const vouchers = openVouchers();
  for (const recorded of events) vouchers.add(recorded);
  const first = sent[start];
  return {
    messages: sent.slice(start, end).map((one): MessageView => {
      const { to, message } = one;
      const { from, timestamp } = message.entry;
      const { kind, line, text } = shownMessage(message.entry, overview.form);
      const said = { key: placeOf(one), from, to, at: timestamp, kind, line, text };
      return { ...said, isUnread: isUnread(message.entry), isVouched: vouchers.of(to, message) !== null };
    }),
    before: start > 0 && first ? placeOf(first) : null,
    total: sent.length,
  };
}

/** A key tells a message from the others of its inbox. */
const placeOf = ({ to, message }: Sent): string => `${to}/${message.key}`;
