import { existsSync, mkdirSync } from "node:fs";
import { entryKeys, type InboxEntry, isUnread, nameKey } from "@troupe/protocol";
import { isTorn, type Message, messagesIn } from "@troupe/protocol/rules";
import type { Inbox } from "@troupe/store/files";
import { consume, holdInbox, type MessageRow, makeInbox, messageIn, type Place } from "../mail.ts";
import { inboxOf, type Link, livesHere, within } from "./link.ts";
import { letGo } from "./roster.ts";

/** So many messages are carried at once. */
const pageSize = 500;

/** A message in the file, as it stands there. */
interface Found extends Message {
  readonly raw: object;
  /** The key of what it says, whichever of several equal ones it is. */
  readonly content: string;
}

/**
 * Carries the mail of one member both ways: what members of this host sent goes to the database,
 * what others sent comes into the file of a member that lives here. Taken mail is marked from where
 * its member lives, and nowhere else.
 */
export async function carryMail(link: Link, name: string): Promise<void> {
  const place: Place = { team: link.row.id, name, codec: link.codec };
  const inbox = inboxOf(link, name);
  // What was brought before this look stands in the file, or was taken from it.
  const before = link.memory.inbox(name).read()?.upTo ?? 0;
  const found = await inbox.read();
  const isWhole = found.raw !== undefined && !isTorn(found) && existsSync(link.layout.inbox(name));
  const messages = messagesIn(found).map((message, at): Found => {
    const raw = found.raw?.[found.positions[at] as number] as object;
    return { ...message, raw, content: entryKeys([message.entry])[0] as string };
  });
  const isHere = livesHere(link, name);
  if (link.members.has(nameKey(name))) await sendNew(link, place, messages, isHere);
  if (isHere) {
    await bring(link, place, inbox);
    if (isWhole && messages.length + before > 0) await markTaken(link, place, messages, before);
  } else if (isWhole) {
    const taken = await takenElsewhere(link, place, messages);
    if (taken.size > 0) await inbox.acknowledge(taken);
  }
}

async function sendNew(link: Link, place: Place, messages: readonly Found[], isHere: boolean): Promise<void> {
  const sent = link.sent.get(place.name) ?? new Set<string>();
  link.sent.set(place.name, sent);
  const fresh = messages.filter(({ key, entry }) => livesHere(link, entry.from) && !sent.has(key));
  link.unsent.set(`mail to ${place.name}`, fresh.length);
  await letGo(
    link,
    place.name,
    fresh.map(({ entry }) => entry),
  );
  for (let at = 0; at < fresh.length; at += pageSize) {
    const page = fresh.slice(at, at + pageSize);
    await within(link, async ({ query, touch, atCommit }) => {
      if (sent.size === 0) await makeInbox(query, [place.team, place.name]);
      atCommit(...adding(link, place, page, isHere));
      touch(place.team, place.name);
    });
    for (const { key } of page) sent.add(key);
    link.unsent.set(`mail to ${place.name}`, fresh.length - at - page.length);
  }
}

/**
 * The statement that adds messages at the end of an inbox, as they were written, without those that
 * it has or had. Of equal ones the second is new where it has one. All that has their senders is
 * written by this run, or was by one that is done: what others add meanwhile is not equal.
 */
function adding(link: Link, { team, name, codec }: Place, messages: readonly Found[], isHere: boolean) {
  const rows = messages.map(({ raw, entry, content, key }) => {
    const isRead = isHere && !isUnread(entry);
    const doc = isRead === !isUnread(entry) ? raw : { ...raw, read: isRead };
    const ordinal = Number(key.slice(key.indexOf("#") + 1));
    return { doc: codec.write(doc), content, ordinal, state: isRead ? "read" : "unread" };
  });
  const text = `with fresh as (
       select doc, key, state, row_number() over (order by at) as at
       from unnest($3::text[], $4::text[], $5::text[], $6::int[]) with ordinality as t (doc, key, state, ordinal, at)
       where ordinal >= (select count(*) from message where team = $1 and name = $2 and content_key = key)),
     next as (update inbox set next_seq = next_seq + (select count(*) from fresh), changed = pg_current_xact_id()
              where team = $1 and name = $2 returning next_seq - (select count(*) from fresh) as first)
     insert into message (team, name, seq, doc, content_key, state, via)
     select $1, $2, first + at - 1, doc::json, key, state, $7 from next, fresh`;
  const columns = [
    rows.map(({ doc }) => doc),
    rows.map(({ content }) => content),
    rows.map(({ state }) => state),
    rows.map(({ ordinal }) => ordinal),
  ];
  return [text, [team, name, ...columns, link.root]] as const;
}

/** Those that stood in the file, and are marked there or gone from it. */
async function markTaken(link: Link, place: Place, messages: readonly Found[], before: number): Promise<void> {
  const open = await link.database.query<{ seq: string; key: string }>(
    `select seq, content_key as key from message
     where team = $1 and name = $2 and state = 'unread' and (via = $3 or seq <= $4) order by seq`,
    [place.team, place.name, link.root, before],
  );
  if (open.length === 0) return;
  const left = new Map<string, number>();
  for (const { content, entry } of messages) if (isUnread(entry)) left.set(content, (left.get(content) ?? 0) + 1);
  const marked = new Set(messages.filter(({ entry }) => !isUnread(entry)).map(({ content }) => content));
  // One revision marks what was taken and keeps it: what is gone from such a file was lost there.
  const isOver = (key: string) => link.codec.form === "2026-11" || marked.has(key);
  // Of equal ones the last are those that are left.
  const taken = [...open].reverse().filter(({ key }) => {
    if (!isOver(key)) return false;
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
  if (taken.length === 0) return;
  await within(link, async (transaction) => {
    await holdInbox(transaction, place);
    await consume(
      transaction.query,
      place,
      taken.map(({ seq }) => seq),
    );
  });
}

/** Brings what others sent into the file, behind all that is there. */
async function bring(link: Link, place: Place, inbox: Inbox): Promise<void> {
  const slot = link.memory.inbox(place.name);
  for (;;) {
    const upTo = slot.read()?.upTo ?? 0;
    const rows = await link.database.query<MessageRow & { state: string; via: string | null }>(
      `select seq, doc::text, state, via from message where team = $1 and name = $2 and seq > $3
       order by seq limit ${pageSize}`,
      [place.team, place.name, upTo],
    );
    const last = Number(rows.at(-1)?.seq ?? 0);
    if (last === 0) return;
    const wanted = rows
      .filter(({ state, via }) => state === "unread" && via !== link.root)
      .flatMap(({ seq, doc }) => {
        const isMessage = messageIn(place.codec, { seq, doc }).value !== undefined;
        return isMessage ? [{ seq: Number(seq), entry: JSON.parse(doc) as InboxEntry }] : [];
      });
    if (wanted.length === 0) {
      slot.keep({ upTo: last });
      continue;
    }
    mkdirSync(link.layout.inboxes, { recursive: true, mode: 0o700 });
    await inbox.appendAll(
      (_, present) => {
        const known = slot.read() ?? { upTo: 0 };
        const { begun } = known;
        slot.keep({ upTo: known.upTo, begun: last });
        const there = begun === undefined ? undefined : present();
        const isThere = (seq: number, entry: InboxEntry) =>
          seq <= known.upTo || (begun !== undefined && seq <= begun && there?.has(entryKeys([entry])[0] as string));
        return wanted.filter(({ seq, entry }) => !isThere(seq, entry)).map(({ entry }) => entry);
      },
      () => slot.keep({ upTo: last }),
    );
  }
}

/** The keys in this file of messages that their member, who lives elsewhere, has taken. */
async function takenElsewhere(link: Link, place: Place, messages: readonly Found[]): Promise<ReadonlySet<string>> {
  const open = messages.filter(({ entry }) => isUnread(entry) && livesHere(link, entry.from));
  if (open.length === 0) return new Set();
  const rows = await link.database.query<{ key: string }>(
    `select content_key as key from message where team = $1 and name = $2 and content_key = any($3)
     group by 1 having bool_and(state <> 'unread')`,
    [place.team, place.name, open.map(({ content }) => content)],
  );
  const taken = new Set(rows.map(({ key }) => key));
  return new Set(open.filter(({ content }) => taken.has(content)).map(({ key }) => key));
}
