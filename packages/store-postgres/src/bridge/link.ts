import { type Codec, nameKey, type TeamLayout } from "@troupe/protocol";
import type { inTurn, Team } from "@troupe/store";
import { leaseLost } from "@troupe/store/engine";
import { type Inbox, openInbox } from "@troupe/store/files";
import type { Database, Query, Transaction } from "../database.ts";
import type { TaskRows } from "../task-rows.ts";
import type { TeamRow } from "../team-row.ts";
import type { Memory } from "./memory.ts";

export interface OfferLimits {
  /** An offer that nobody here takes for so long moves on. */
  readonly unusedMs: number;
  /** The offers of a host that was not heard of for so long end. */
  readonly silentMs: number;
}

/** Where each member lives; a member that left lives where it lived last. */
export type Homes = ReadonlyMap<string, string>;

/** One team in a root of files and in the database, and who carries between them. */
export interface Link {
  readonly database: Database;
  readonly row: TeamRow;
  readonly codec: Codec;
  readonly shared: Team;
  readonly local: Team;
  /** Ends the team on one side, since it has ended on the other. */
  readonly remove: { local(): Promise<void>; shared(): Promise<void> };
  readonly layout: TeamLayout;
  readonly memory: Memory;
  readonly host: string;
  /** The id of the root. */
  readonly root: string;
  /** Of this run: a later one of the same host ends this one's right to write. */
  readonly epoch: string;
  /** The homes of members as they were seen last. */
  homes: Homes;
  /** Names of the team's members, as they were seen last. */
  members: ReadonlySet<string>;
  /** Those of the files: each knows how its other writers write. */
  readonly inboxes: Map<string, Inbox>;
  /** By inbox, the keys in its file of what the database is known to have. */
  readonly sent: Map<string, Set<string>>;
  /** Tasks are carried one at a time: two changes of one must not cross. */
  readonly inTurn: ReturnType<typeof inTurn>;
  /** The tasks that nobody here took for long, and until when they are left to others. */
  readonly passed: Map<string, number>;
  readonly limits: OfferLimits;
  /** The number of changes, by file, that wait to be sent. */
  readonly unsent: Map<string, number>;
}

export const livesHere = ({ homes, host }: Pick<Link, "homes" | "host">, name: string): boolean =>
  homes.get(nameKey(name)) === host;

/** The inbox of a member in the files, the same one each time. */
export function inboxOf({ inboxes, layout, codec }: Pick<Link, "inboxes" | "layout" | "codec">, name: string): Inbox {
  const path = layout.inbox(name);
  const inbox = inboxes.get(path) ?? openInbox({ path, codec });
  inboxes.set(path, inbox);
  return inbox;
}

/** Throws `lease_lost` once a later run of this host has begun; none begins until the commit. */
async function assertCurrent(query: Query, { row, host, epoch }: Link): Promise<void> {
  const mine = "select from bridge_host where team = $1 and host = $2 and epoch = $3 for share";
  if ((await query(mine, [row.id, host, epoch])).length === 0) throw leaseLost(`the bridge of ${host}`);
}

/** One transaction in the name of this run. */
export const within = <T>(link: Link, work: (transaction: Transaction) => Promise<T>): Promise<T> =>
  link.database.transaction(async (transaction) => {
    await assertCurrent(transaction.query, link);
    return work(transaction);
  });

/** The tasks of the team in a transaction. */
export const rowsOf = ({ row, codec }: Link, transaction: Transaction): TaskRows => ({
  transaction,
  list: row.list,
  codec,
  wake: () => transaction.touch(row.id),
});

export async function homesIn(query: Query, team: string): Promise<Homes> {
  const rows = await query<{ member: string; host: string }>("select member, host from bridge_member where team = $1", [
    team,
  ]);
  return new Map(rows.map(({ member, host }) => [member, host]));
}
