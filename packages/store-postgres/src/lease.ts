import { TroupeError } from "@troupe/protocol";
import { type Lease, timeLimit } from "@troupe/store";
import { leaseLost } from "@troupe/store/engine";
import type { Database } from "./database.ts";
import { type HeldLeases, isHeld, leaseEnd } from "./held-leases.ts";
import { consume, holdInbox, type MessageRow, makeInbox, messagesIn, type Place, seqOf } from "./mail.ts";
import type { Wakes } from "./wakes.ts";

/** Waiting for a lease of another outlasts one whose holder has just died. */
const usualDeadlineMs = 15_000;

export interface LeaseDeps {
  readonly database: Database;
  readonly wakes: Wakes;
  /** Fires when the store is closed. */
  readonly closing: AbortSignal;
  /** Told of a lease, to renew it, and to release it when the store is closed; and of its end. */
  readonly held: HeldLeases;
}

/** Becomes the one consumer of an inbox. */
export async function receive(
  { database, wakes, closing, held }: LeaseDeps,
  place: Place,
  { deadlineMs = usualDeadlineMs }: { readonly deadlineMs?: number } = {},
): Promise<Lease> {
  const { query, transaction } = database;
  const { team, name, codec } = place;
  const listening = wakes.listen({ team, inbox: name });
  const late = AbortSignal.any([timeLimit(deadlineMs), closing]);
  const epoch = await taken().catch((error: unknown) => {
    listening.end();
    throw error;
  });
  const values = [team, name, epoch] as const;

  async function taken(): Promise<string> {
    await makeInbox(query, [team, name]);
    // Once in any case: a slow answer is no other consumer.
    while (!closing.aborted) {
      const [row] = await query<{ epoch: string }>(
        `update inbox set epoch = epoch + 1, lease_until = ${leaseEnd}
         where team = $1 and name = $2 and (lease_until is null or lease_until <= clock_timestamp()) returning epoch`,
        [team, name],
      );
      if (row) return row.epoch;
      if (!(await listening.next(late))) break;
    }
    if (closing.aborted) throw new TroupeError("store_closed", "this store was closed: open it again");
    const message = `the mail of ${name} is received by another process, which did not give it up within ${deadlineMs} ms: end that one`;
    throw new TroupeError("lock_unavailable", message, { name });
  }

  const lost = () => leaseLost(`the mail of ${name}`);

  async function take() {
    const [row] = await query<{ messages: string | null }>("select unread_mail($1, $2, $3) as messages", values);
    if (!row?.messages) throw lost();
    return messagesIn(codec, JSON.parse(row.messages) as readonly MessageRow[]);
  }

  const lease: Lease = {
    epoch,
    take,

    async wait(signal) {
      for (;;) {
        const messages = await take();
        if (messages.length > 0 || !(await listening.next(signal))) return messages;
      }
    },

    acknowledge: (keys) =>
      transaction(async (open) => {
        await holdInbox(open, place);
        const rows = await open.query(`select from inbox where team = $1 and name = $2 and ${isHeld}`, values);
        if (rows.length === 0) throw lost();
        await consume(
          open.query,
          place,
          [...keys].flatMap((key) => seqOf(key) ?? []),
        );
      }),

    async release() {
      if (!held.delete(lease)) return;
      listening.end();
      await transaction(async (open) => {
        open.touch(team, name);
        await open.query("update inbox set lease_until = null where team = $1 and name = $2 and epoch = $3", values);
      });
    },
  };
  held.add(lease, values);
  return lease;
}
