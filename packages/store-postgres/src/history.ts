import { TroupeError } from "@troupe/protocol";
import { maxMessageBytes } from "@troupe/protocol/rules";
import { isUnavailable, type RecordedEvent } from "@troupe/store";
import type { Database } from "./database.ts";
import type { Listening, Wakes } from "./wakes.ts";

interface EventRow {
  readonly seq: string;
  readonly at: Date;
  readonly by: string;
  readonly doc: string;
}

const pageSize = 500;

/** Adds an event to the history of a team: its place in it is that of the commit. */
export async function recordEvent({ transaction }: Database, team: string, by: string, event: object): Promise<void> {
  await transaction(async ({ query, touch }) => {
    const recorded = await query(...recording(team, by, event));
    if (recorded.length === 0)
      throw new TroupeError("store_refused", `this role does not see the team of ${by}: it needs a grant again`, {
        by,
      });
    touch(team);
  }, "one statement");
}

/** The statement that records an event, and its values. */
export function recording(team: string, by: string, event: object): [text: string, values: readonly string[]] {
  const text = JSON.stringify(event);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxMessageBytes) {
    const message = `the event has ${bytes} bytes, more than ${maxMessageBytes}: record a file's path instead`;
    throw new TroupeError("message_too_large", message, { bytes });
  }
  return [
    `with next as (update history set next_seq = next_seq + 1 where team = $1 returning next_seq - 1 as seq)
     insert into event (team, seq, at, by, doc) select $1, seq, clock_timestamp(), $2, $3 from next returning seq`,
    [team, by, text],
  ];
}

/** The events of a team after the one of that id; with somebody who listens it goes on. */
export function eventsOf(
  { query }: Pick<Database, "query">,
  team: string,
  after?: string,
  follow?: { readonly wakes: Wakes; readonly signal: AbortSignal },
): AsyncIterableIterator<RecordedEvent, undefined> {
  const listening: Listening | undefined = follow?.wakes.listen({ team }, follow.signal);
  let isReturned = false;
  const isOver = () => isReturned || follow?.signal.aborted === true;

  async function* events(): AsyncGenerator<RecordedEvent, undefined> {
    try {
      let last = after === undefined ? "0" : await seqOf(after);
      do {
        for (let page = await pageAfter(last); page.length > 0; page = await pageAfter(last)) {
          for (const { seq, at, by, doc } of page) {
            if (isOver()) return;
            last = seq;
            yield { id: seq, at: at.toISOString(), by, event: JSON.parse(doc) };
          }
        }
      } while (!isOver() && (await listening?.next()));
    } finally {
      listening?.end();
    }
  }

  /** A server that is away for a moment ends no history that goes on: the next look sees more. */
  const pageAfter = (seq: string) =>
    query<EventRow>("select seq, at, by, doc::text from event where team = $1 and seq > $2 order by seq limit $3", [
      team,
      seq,
      pageSize,
    ]).catch((error: unknown) => {
      if (follow && isUnavailable(error)) return [];
      throw error;
    });

  async function seqOf(id: string): Promise<string> {
    const isId = /^[1-9][0-9]{0,17}$/.test(id);
    const [found] = isId ? await query("select 1 from event where team = $1 and seq = $2", [team, id]) : [];
    if (found) return id;
    const message = `there is no event ${JSON.stringify(id)} in this history: give an id that it gave, or none`;
    throw new TroupeError("arguments_invalid", message, { field: "after" });
  }

  // A generator's own way to return would wait for the next event.
  return Object.assign(events(), {
    async return() {
      isReturned = true;
      listening?.end();
      return { value: undefined, done: true } as const;
    },
  });
}

/** The events of the last team of this name that has ended. */
export async function* pastOf({ query }: Database, name: string): AsyncGenerator<RecordedEvent, undefined> {
  const [ended] = await query<{ id: string }>(
    "select id from team where name = $1 and ended_at is not null order by ended_at desc, id desc limit 1",
    [name],
  );
  if (ended) yield* eventsOf({ query }, ended.id);
}
