import { TroupeError } from "@troupe/protocol";
import { connectTo, type Database, type Query } from "./database.ts";
import { tables } from "./migrations/001-tables.ts";
import { hosts } from "./migrations/002-hosts.ts";
import { append } from "./migrations/003-append.ts";
import { spawns } from "./migrations/004-spawns.ts";
import { bridge } from "./migrations/005-bridge.ts";
import { oneKey } from "./migrations/006-one-key.ts";
import { leaving } from "./migrations/007-leaving.ts";
import { spawnsEnd } from "./migrations/008-spawns-end.ts";
import { oneJudge } from "./migrations/009-one-judge.ts";
import { asTaken } from "./migrations/010-as-taken.ts";
import { unread } from "./migrations/011-unread.ts";

/** In order, never changed once published: a migration has the number of its place, from 1 on. */
const migrations: readonly string[] = [
  tables,
  hosts,
  append,
  spawns,
  bridge,
  oneKey,
  leaving,
  spawnsEnd,
  oneJudge,
  asTaken,
  unread,
];

/** Told from other locks of the database by this number alone. */
const migrationLock = 7_207_180_001n;

export interface Migrated {
  /** The number of the last migration before, and now. */
  readonly from: number;
  readonly to: number;
}

/**
 * Creates the tables, or brings them up to date: in one transaction, and one process at a time.
 * They stand in the first schema of the connection's `search_path`.
 */
export async function migratePostgresStore({ url }: { readonly url: string }): Promise<Migrated> {
  const database = connectTo(url, { isWhole: true });
  try {
    return await database.transaction(async ({ query }) => {
      await query("select pg_advisory_xact_lock($1)", [migrationLock]);
      await query(
        "create table if not exists migration (number int primary key, at timestamptz not null default now())",
      );
      const from = await numberIn(query);
      assertKnown(from);
      for (const [index, statements] of migrations.entries()) {
        if (index < from) continue;
        await query(statements);
        await query("insert into migration (number) values ($1)", [index + 1]);
      }
      return { from, to: migrations.length };
    });
  } finally {
    await database.close();
  }
}

/** Throws `store_refused` where the tables are missing, older, or of a later version of Troupe. */
export async function assertMigrated(database: Pick<Database, "query">): Promise<void> {
  const { step: number } = await stepsOf(database);
  assertKnown(number);
  if (number === migrations.length) return;
  const message = `the database shows this role the tables of step ${number}, and this Troupe needs step ${migrations.length}: run migratePostgresStore with its url, or grantHost for the role of a host`;
  throw new TroupeError("store_refused", message, { number, needed: migrations.length });
}

/** The last migration that the tables have, 0 where there are none, and the last that is known. */
export async function stepsOf({ query }: Pick<Database, "query">): Promise<{ step: number; needed: number }> {
  const [found] = await query<{ there: boolean }>("select to_regclass('migration') is not null as there");
  return { step: found?.there ? await numberIn(query) : 0, needed: migrations.length };
}

async function numberIn(query: Query): Promise<number> {
  const [found] = await query<{ number: number }>("select coalesce(max(number), 0) as number from migration");
  return found?.number ?? 0;
}

function assertKnown(number: number): void {
  if (number <= migrations.length) return;
  const message = `the database has the tables of step ${number}, and this Troupe knows ${migrations.length}: update Troupe`;
  throw new TroupeError("store_refused", message, { number, known: migrations.length });
}
