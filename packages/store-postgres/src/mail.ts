import { type Codec, type EntryDraft, entryKeys, type InboxEntry, type Member } from "@troupe/protocol";
import { assertMessageFits, type Message } from "@troupe/protocol/rules";
import type { Found, Mail, Stamp } from "@troupe/store";
import { type Database, only, type Query, type Transaction } from "./database.ts";

/** An inbox: its team, its owner, and how its messages are written. */
export interface Place {
  readonly team: string;
  readonly name: string;
  readonly codec: Codec;
}

/** A message as it stands in the table. */
export interface MessageRow {
  readonly seq: string;
  readonly doc: string;
}

/** The message of a row; what its document lacks is among the problems. */
export function messageIn(codec: Codec, { seq, doc }: MessageRow): Found<Message> {
  const { entries, problems } = codec.readInbox(`[${doc}]`);
  const [entry] = entries;
  return { value: entry && { key: seq, entry }, problems };
}

export const messagesIn = (codec: Codec, rows: readonly MessageRow[]): Message[] =>
  rows.flatMap((row) => messageIn(codec, row).value ?? []);

/** The number of a message; undefined for a key that no message can have. */
export const seqOf = (key: string): string | undefined => (/^[1-9][0-9]{0,17}$/.test(key) ? key : undefined);

/** Makes sure that the inbox is there, and holds it until the transaction ends. */
export async function holdInbox({ query, touch }: Transaction, { team, name }: Place): Promise<void> {
  const hold = "update inbox set changed = pg_current_xact_id() where team = $1 and name = $2 returning true as held";
  touch(team, name);
  while ((await query(hold, [team, name])).length === 0) await makeInbox(query, [team, name]);
}

/** Creates the row of an inbox unless it is there. */
export const makeInbox = (query: Query, values: readonly [team: string, name: string]) =>
  query("insert into inbox (team, name, changed) values ($1, $2, pg_current_xact_id()) on conflict do nothing", values);

export interface Sending {
  readonly from: Member;
  readonly content: EntryDraft["content"];
  /** Of the first try: what has it already and still stands in the mail is not added again. */
  readonly stamp?: Stamp | undefined;
  /** Whose history says that it was sent; nobody's where it is left out. */
  readonly by?: string;
}

/** Adds a message at the end of an inbox. */
export async function deliver(transaction: Transaction, place: Place, sending: Sending): Promise<Message> {
  const { stamp } = sending;
  if (stamp) {
    await holdInbox(transaction, place);
    const before = await sameIn(transaction.query, place, contentKeyOf(entryOf(place, sending, stamp)));
    if (before) return before;
  }
  return only([await append(transaction, place, sending)].flatMap((sent) => sent ?? []));
}

/**
 * The same in one statement, without a look at what the mail has; undefined, and nothing is done,
 * where the team was changed by another transaction than this one since.
 */
export async function append(
  { query, touch }: Transaction,
  place: Place,
  sending: Sending,
  asOf: string | null = null,
): Promise<Message | undefined> {
  const { team, name, codec } = place;
  const { stamp, by = null } = sending;
  const entry = entryOf(place, sending, stamp ?? { at: new Date(0).toISOString(), id: crypto.randomUUID() });
  assertMessageFits(entry);
  touch(team, name);
  const mark = crypto.randomUUID();
  const timestamp = stamp ? entry.timestamp : mark;
  const [sent] = await query<{ seq: string; sent_at: string }>(
    "select seq, sent_at from append_message($1, $2, $3, $4, $5, $6, $7, $8)",
    [
      team,
      name,
      asOf,
      codec.write({ ...entry, timestamp }),
      JSON.stringify([entry.msg_id, entry.from, timestamp, entry.text]),
      mark,
      by,
      JSON.stringify({ kind: "message", to: name, key: mark }),
    ],
  );
  if (!sent) return undefined;
  return { key: sent.seq, entry: stamp ? entry : { ...entry, timestamp: sent.sent_at } };
}

const entryOf = ({ codec }: Place, { from, content }: Sending, { at, id }: Stamp): InboxEntry =>
  codec.newEntry({ from, content, timestamp: at, messageId: id });

const contentKeyOf = (entry: InboxEntry): string => entryKeys([entry])[0] as string;

async function sameIn(query: Query, { team, name, codec }: Place, contentKey: string): Promise<Message | undefined> {
  const [row] = await query<MessageRow>(
    `select seq, doc::text from message
     where team = $1 and name = $2 and content_key = $3 and state <> 'gone' order by seq limit 1`,
    [team, name, contentKey],
  );
  return row && messageIn(codec, row).value;
}

/** The message of that number, also when it was taken long ago. */
export async function messageOf(query: Query, { team, name, codec }: Place, seq: string): Promise<Message | undefined> {
  const [row] = await query<MessageRow>(
    "select seq, doc::text from message where team = $1 and name = $2 and seq = $3",
    [team, name, seq],
  );
  return row && messageIn(codec, row).value;
}

/** An inbox to look at. */
export const mailIn = ({ query }: Pick<Database, "query">, { team, name, codec }: Place): Mail => ({
  async page({ before, limit } = {}) {
    const seq = before === undefined ? null : seqOf(before);
    if (seq === undefined) return { value: [], problems: [] };
    // Each state has an index of its own, in which nothing stands that is gone.
    const last = (state: "unread" | "read") => `(select seq, doc::text from message
       where team = $1 and name = $2 and state = '${state}' and ($3::bigint is null or seq < $3)
         and ($3::bigint is null or exists
           (select from message where team = $1 and name = $2 and seq = $3 and state <> 'gone'))
       order by seq desc limit $4)`;
    const rows = await query<MessageRow>(`${last("unread")} union all ${last("read")} order by seq desc limit $4`, [
      team,
      name,
      seq,
      limit === undefined || limit === Number.POSITIVE_INFINITY ? null : Math.floor(limit),
    ]);
    const found = rows.map((row) => messageIn(codec, row)).reverse();
    return {
      value: found.flatMap(({ value }) => value ?? []),
      problems: found.flatMap(({ problems }) => problems),
    };
  },
});

/** Marks or removes messages that stand unread, as the revision does. */
export async function consume(query: Query, { team, name, codec }: Place, seqs: readonly string[]): Promise<void> {
  const rows = await query<MessageRow>(
    "select seq, doc::text from message where team = $1 and name = $2 and state = 'unread' and seq = any($3::bigint[])",
    [team, name, seqs],
  );
  const after = rows.map(({ seq, doc }) => {
    const [left] = codec.consume(codec.readInbox(`[${doc}]`), new Set([0]));
    return left === undefined ? { seq, doc, state: "gone" } : { seq, doc: codec.write(left), state: "read" };
  });
  await query(
    `update message m set doc = v.doc::json, state = v.state
     from unnest($3::bigint[], $4::text[], $5::text[]) as v (seq, doc, state)
     where m.team = $1 and m.name = $2 and m.seq = v.seq`,
    [team, name, after.map(({ seq }) => seq), after.map(({ doc }) => doc), after.map(({ state }) => state)],
  );
}

/** Takes what was read out of the mail of a team, and gives the number of messages. */
export async function compact({ query, touch }: Transaction, team: string): Promise<number> {
  const { count } = only(
    await query<{ count: number }>(
      `with gone as (update message set state = 'gone' where team = $1 and state = 'read' returning name),
            seen as (update inbox set changed = pg_current_xact_id()
                     where team = $1 and name in (select name from gone))
       select count(*)::int as count from gone`,
      [team],
    ),
  );
  touch(team);
  return count;
}
