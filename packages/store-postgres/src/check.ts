import { codecFor, type Form } from "@troupe/protocol";
import { assertGiven, inOrder, readyAmong } from "@troupe/protocol/rules";
import { connectTo, only, type Query } from "./database.ts";
import { stepsOf } from "./migrations.ts";
import { onlookAt } from "./onlook.ts";
import type { PostgresStoreDeps } from "./postgres-store.ts";
import { asTakenOf, fileOf, type TaskRow } from "./task-rows.ts";

/** What a look at a whole store finds. */
export interface Checked {
  /** The version of the server, as it says it. */
  readonly server: string;
  /** The last migration that the tables have, and the last that this Troupe knows. */
  readonly step: number;
  readonly needed: number;
  /** It follows another server, and refuses what is to be written. */
  readonly isStandby: boolean;
  /**
   * How far behind the slowest server that follows this one is, or this one where it follows; null
   * where none does, or the role is not told.
   */
  readonly lagMs: number | null;
  readonly findings: readonly {
    /** The team or list, and the part of it. */
    readonly where: string;
    readonly message: string;
    readonly fix: string;
  }[];
}

/** Looks whether what the tables say of each other agrees, and which documents cannot be read. */
export async function checkPostgresStore(deps: PostgresStoreDeps): Promise<Checked> {
  assertGiven("checkPostgresStore", deps, { url: "string" });
  const database = connectTo(deps.url, { isWhole: true });
  try {
    const { step, needed } = await stepsOf(database);
    const server = only(
      await database.query<{ server: string; standby: boolean; lag: number | null }>(
        `select current_setting('server_version') as server, pg_is_in_recovery() as standby,
           1000 * case when pg_is_in_recovery()
             then extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())
             else (select extract(epoch from max(replay_lag)) from pg_stat_replication) end::float8 as lag`,
      ),
    );
    const about = { server: server.server, step, needed, isStandby: server.standby, lagMs: server.lag };
    if (step !== needed) return { ...about, findings: [] };
    const { found } = await onlookAt(database).all();
    const unreadable = [...found.teams, ...found.lists].flatMap(({ team, problems }) =>
      problems.map(({ file, message, fix }) => ({ where: `${team}, ${file}`, message, fix })),
    );
    const wrong = await database.transaction(({ query }) => inconsistent(query), "repeatable read");
    return { ...about, findings: [...unreadable, ...wrong] };
  } finally {
    await database.close();
  }
}

const bySomebody = "a program wrote the tables by itself: let it use Troupe";

async function inconsistent(query: Query): Promise<Checked["findings"]> {
  const counted = await query<{ where: string; message: string }>(
    `select t.name || ', inbox ' || i.name as where, 'its messages have other numbers than it has given' as message
       from inbox i join team t on t.id = i.team
       where t.ended_at is null and (select coalesce(max(seq), 0) from message m where m.team = i.team and m.name = i.name)
         not between case when i.next_seq = 2 then 0 else i.next_seq - 1 end and i.next_seq - 1
     union all
     select t.name || ', history', 'its events have other numbers than it has given'
       from history h join team t on t.id = h.team
       where t.ended_at is null and (select count(*) from event e where e.team = h.team) <> h.next_seq - 1
     union all
     select distinct t.name || ', inbox ' || m.name, 'it has messages and does not stand among the inboxes'
       from message m join team t on t.id = m.team
       where t.ended_at is null and not exists (select from inbox i where i.team = m.team and i.name = m.name)
     union all
     select t.name || ', history', 'it has events and does not stand among the histories'
       from team t where t.ended_at is null and exists (select from event e where e.team = t.id)
         and not exists (select from history h where h.team = t.id)
     union all
     select l.name || ', tasks', 'a task has an id that was not given yet'
       from task_list l
       where l.ended_at is null and (select coalesce(max(id), 0) from task k where k.list = l.id and not exists
           (select from bridge_ids b where b.list = k.list and k.id between b.first and b.last)) >= l.next_task
     order by 1`,
  );
  const lists = await query<{ id: string; name: string; form: Form | null }>(
    `select l.id, l.name, t.form from task_list l left join team t on t.list = l.id and t.ended_at is null
     where l.ended_at is null order by l.name collate "C"`,
  );
  const ofTasks = [];
  for (const list of lists) ofTasks.push(...(await wrongTasks(query, list)));
  return [...counted, ...ofTasks].map(({ where, message }) => ({ where, message, fix: bySomebody }));
}

/** Those whose row says otherwise than the documents, of being ready or of edges. */
async function wrongTasks(query: Query, { id: list, name, form }: { id: string; name: string; form: Form | null }) {
  const codec = codecFor(form ?? "2026-11");
  const rows = await query<TaskRow & { is_ready: boolean; as_taken: string[] | null; ends: readonly string[] }>(
    `select id, doc::text, is_ready, as_taken,
       array(select e.other::text from task_edge e where e.list = k.list and e.task = k.id order by e.other) as ends
     from task k where list = $1 and not is_gone order by id`,
    [list],
  );
  const files = rows.map((row) => fileOf(codec, row));
  const ready = new Set(readyAmong(files).map(({ id }) => id));
  return files.flatMap(({ id, read }, at) => {
    const { value } = read;
    const where = `${name}, task ${id}`;
    const row = rows[at];
    const ends = inOrder([...(value?.blocks ?? []), ...(value?.blockedBy ?? [])]);
    return [
      ...(row?.is_ready !== ready.has(id)
        ? [{ where, message: "its row says otherwise whether it can be claimed" }]
        : []),
      ...(row?.as_taken && row.as_taken.join() !== asTakenOf(codec, read)?.join()
        ? [{ where, message: "its row says otherwise what it is once it is taken" }]
        : []),
      ...(row?.ends.join() !== ends.join() ? [{ where, message: "its row has other edges than its document" }] : []),
    ];
  });
}
