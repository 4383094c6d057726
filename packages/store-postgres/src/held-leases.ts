import type { Lease } from "@troupe/store";
import type { Database } from "./database.ts";

/** A lease that is not renewed ends after so long, by the clock of the database. */
const leaseMs = 10_000;
const renewalMs = 3_000;

/** The end of a lease that is taken or renewed now. */
export const leaseEnd = `clock_timestamp() + interval '${leaseMs} milliseconds'`;

/** Whether a lease of $1 and $2 is that of epoch $3 still. */
export const isHeld = "epoch = $3 and lease_until > clock_timestamp()";

/** Whose mail it is, and which of its leases. */
type LeaseKey = readonly [team: string, name: string, epoch: string];

/** The leases of a store, which are renewed while they are here. */
export interface HeldLeases {
  add(lease: Lease, key: LeaseKey): void;
  /** False where it was not there. */
  delete(lease: Lease): boolean;
  all(): readonly Lease[];
}

/** Renews all that there are in one statement: a process may have hundreds of members. */
export function heldLeases({ query }: Pick<Database, "query">): HeldLeases {
  const held = new Map<Lease, LeaseKey>();
  let timer: NodeJS.Timeout | undefined;
  // A renewal that fails is made by the next one, or the lease ends.
  const failed = () => [];

  async function renew(): Promise<void> {
    const keys = [...held.values()];
    const renewed = await query<{ team: string; name: string }>(
      `update inbox as i set lease_until = ${leaseEnd} from (
         select b.team, b.name from inbox b
         join unnest($1::bigint[], $2::text[], $3::bigint[]) as h (team, name, epoch) using (team, name, epoch)
         where b.lease_until > clock_timestamp() for update of b skip locked
       ) as free where i.team = free.team and i.name = free.name returning i.team, i.name`,
      [keys.map(([team]) => team), keys.map(([, name]) => name), keys.map(([, , epoch]) => epoch)],
    ).catch(failed);
    const done = new Set(renewed.map(({ team, name }) => `${team} ${name}`));
    // An inbox that is written to just now is waited for, and holds up no other.
    const one = `update inbox set lease_until = ${leaseEnd} where team = $1 and name = $2 and ${isHeld}`;
    for (const key of keys) if (!done.has(`${key[0]} ${key[1]}`)) query(one, key).catch(failed);
  }

  return {
    add(lease, key) {
      held.set(lease, key);
      timer ??= setInterval(() => void renew(), renewalMs).unref();
    },
    delete(lease) {
      const was = held.delete(lease);
      if (held.size === 0) {
        clearInterval(timer);
        timer = undefined;
      }
      return was;
    },
    all: () => [...held.keys()],
  };
}
