import { TroupeError } from "@troupe/protocol";
import { leaseLost } from "@troupe/store/engine";
import type { Database } from "../database.ts";
import type { Link } from "./link.ts";

/** A name that says something else where the owner of a task stands. */
const reserved = "none";

/** Throws `arguments_invalid` for what cannot name a host. */
export function assertHost(host: string): void {
  if (/^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.)){0,49}$/.test(host) && host !== reserved) return;
  const message = `${JSON.stringify(host)} cannot name a host: use up to 50 letters, digits, "-", "_" and single dots, and not "${reserved}"`;
  throw new TroupeError("arguments_invalid", message, { field: "host" });
}

/**
 * Begins a run of the bridge of this host, and ends the right to write of every run before it.
 * Throws `store_refused` where the name is that of another root.
 */
export async function enter(
  { query }: Pick<Database, "query">,
  { team, host, root }: { readonly team: string; readonly host: string; readonly root: string },
): Promise<string> {
  const [mine] = await query<{ epoch: string }>(
    `insert into bridge_host (team, host, root) values ($1, $2, $3)
     on conflict (team, host) do update set epoch = bridge_host.epoch + 1, heard_at = clock_timestamp()
       where bridge_host.root = excluded.root
     returning epoch`,
    [team, host, root],
  );
  if (mine) return mine.epoch;
  const message = `the host ${host} has other files than these: give --host another name`;
  throw new TroupeError("store_refused", message, { host });
}

/** Says that this run goes on, and how; throws `lease_lost` where a later one has begun. */
export async function beat(link: Link, unsent: number, problems: readonly string[]): Promise<Date> {
  const [now] = await link.database.query<{ now: Date }>(
    `update bridge_host set heard_at = clock_timestamp(), unsent = $4, problems = $5
     where team = $1 and host = $2 and epoch = $3 returning heard_at as now`,
    [link.row.id, link.host, link.epoch, unsent, JSON.stringify(problems)],
  );
  if (now) return now.now;
  throw leaseLost(`the bridge of ${link.host}`);
}
