import { createHash } from "node:crypto";
import { codecFor, entryKeys, isUnread, TroupeError } from "@troupe/protocol";
import { assertGiven, inOrder, readyAmong } from "@troupe/protocol/rules";
import type { Archive, ArchivedList, ArchivedTeam, ArchivedText } from "@troupe/store";
import { assertArchive, teamExists } from "@troupe/store/engine";
import { connectTo, only, type Query, type Transaction } from "./database.ts";
import { wholeInbox } from "./export.ts";
import { asJson, elementsIn } from "./json-text.ts";
import { assertMigrated } from "./migrations.ts";
import { holdTeams, type PostgresStoreDeps } from "./postgres-store.ts";
import { asTakenOf, fileOf } from "./task-rows.ts";

/**
 * Adds all that an archive has in one transaction, or nothing: throws `team_exists` where a name is
 * taken. Needs a role that may write every table.
 */
export async function importPostgresStore(deps: PostgresStoreDeps, archive: Archive): Promise<void> {
  assertGiven("importPostgresStore", deps, { url: "string" });
  assertArchive("importPostgresStore", archive);
  const database = connectTo(deps.url, { isWhole: true });
  try {
    await assertMigrated(database);
    await database.transaction(async (transaction) => {
      await holdTeams(transaction);
      const { teams, plans } = archive;
      const formOf = new Map(teams.map(({ name, form }) => [name, form]));
      const lists = new Map<string, string>();
      for (const list of archive.lists)
        lists.set(list.name, await addList(transaction.query, list, formOf.get(list.name) ?? "2026-11"));
      for (const team of teams) {
        const list =
          lists.get(team.name) ?? (await addList(transaction.query, { ...team, tasks: [], lastId: 0 }, team.form));
        await addTeam(transaction, team, list);
      }
      for (const plan of plans) await addPlan(transaction.query, plan);
    });
  } finally {
    await database.close();
  }
}

async function addList(
  query: Query,
  { name, tasks, lastId }: ArchivedList,
  form: ArchivedTeam["form"],
): Promise<string> {
  const codec = codecFor(form);
  const [there] = await query<{ id: string; next_task: string }>(
    "select id, next_task from task_list where name = $1 and ended_at is null for update",
    [name],
  );
  if (there && there.next_task !== "1") throw teamExists(name);
  const made = "insert into task_list (name) values ($1) returning id";
  const { id: list } = there ?? only(await query<{ id: string }>(made, [name]));
  const files = tasks.map(({ name: id, text }) => fileOf(codec, { id, doc: text }));
  const asTaken = files.map(({ read }) => asTakenOf(codec, read));
  const ready = new Set(readyAmong(files).map(({ id }) => id));
  await query(
    `insert into task (list, id, doc, is_ready, changed_at, changed, as_taken)
     select $1, id, doc::json, is_ready, to_timestamp(ms / 1000), pg_current_xact_id(),
       case when before is not null then array[before, after] end
     from unnest($2::bigint[], $3::text[], $4::bool[], $5::float8[], $6::text[], $7::text[])
       as t (id, doc, is_ready, ms, before, after)`,
    [
      list,
      tasks.map(({ name: id }) => id),
      tasks.map(({ text }) => asJson(text)),
      tasks.map(({ name: id }) => ready.has(id)),
      tasks.map(({ changedAt }) => changedAt),
      asTaken.map((halves) => halves?.[0]),
      asTaken.map((halves) => halves?.[1]),
    ],
  );
  const edges = files.flatMap(({ id, read: { value } }) =>
    inOrder([...(value?.blocks ?? []), ...(value?.blockedBy ?? [])]).map((other) => [id, other] as const),
  );
  await query(
    `insert into task_edge (list, task, other)
     select $1, task, other from unnest($2::bigint[], $3::bigint[]) as t (task, other)`,
    [list, edges.map(([task]) => task), edges.map(([, other]) => other)],
  );
  await query("update task_list set next_task = $2 where id = $1", [list, lastId + 1]);
  return list;
}

async function addTeam({ query, touch }: Transaction, team: ArchivedTeam, list: string): Promise<void> {
  const { name, form, config, inboxes, events } = team;
  const { value } = codecFor(form).readTeam(config, name);
  const session = value?.leadSessionId ?? "";
  const taken = await query<{ name: string; session_id: string }>(
    "select name, session_id from team where ended_at is null and (name = $1 or session_id = $2)",
    [name, session],
  );
  if (taken.some((one) => one.name === name)) throw teamExists(name);
  // No session is to lead two teams; what other clients have left so stays as it is.
  const leader = session === "" || taken.length > 0 ? `${session} of ${name}` : session;
  const { id } = only(
    await query<{ id: string }>(
      `insert into team (name, form, session_id, config, list, changed)
       values ($1, $2, $3, $4, $5, pg_current_xact_id()) returning id`,
      [name, form, leader, asJson(config), list],
    ),
  );
  for (const inbox of inboxes) await addInbox(query, { id, form }, inbox);
  await query("insert into history (team, next_seq) values ($1, $2)", [id, events.length + 1]);
  await query(
    `insert into event (team, seq, at, by, doc)
     select $1, seq, at, by, doc::json
     from unnest($2::timestamptz[], $3::text[], $4::text[]) with ordinality as t (at, by, doc, seq)`,
    [id, events.map(({ at }) => at), events.map(({ by }) => by), events.map(({ event }) => JSON.stringify(event))],
  );
  touch(id);
}

interface MessageText {
  readonly doc: string;
  readonly key: string;
  readonly state: "unread" | "read";
}

async function addInbox(
  query: Query,
  { id, form }: { readonly id: string; readonly form: ArchivedTeam["form"] },
  { name, text }: ArchivedText,
): Promise<void> {
  const codec = codecFor(form);
  const rows = elementsIn(text)?.map((doc): MessageText => {
    const [entry] = codec.readInbox(`[${doc}]`).entries;
    if (!entry) return { doc, key: createHash("sha256").update(doc).digest("hex"), state: "unread" };
    return { doc, key: String(entryKeys([entry])[0]), state: isUnread(entry) ? "unread" : "read" };
  }) ?? [{ doc: JSON.stringify(text), key: wholeInbox, state: "unread" }];
  // An empty inbox is there, too: a number of it was given.
  await query("insert into inbox (team, name, next_seq, changed) values ($1, $2, $3, pg_current_xact_id())", [
    id,
    name,
    Math.max(rows.length, 1) + 1,
  ]);
  await query(
    `insert into message (team, name, seq, doc, content_key, state)
     select $1, $2, seq, doc::json, key, state
     from unnest($3::text[], $4::text[], $5::text[]) with ordinality as t (doc, key, state, seq)`,
    [id, name, rows.map(({ doc }) => doc), rows.map(({ key }) => key), rows.map(({ state }) => state)],
  );
}

async function addPlan(query: Query, { name, text }: ArchivedText): Promise<void> {
  const content = JSON.stringify(text);
  const [before] = await query<{ content: string }>("select content::text from plan where name = $1", [name]);
  if (!before) await query("insert into plan (name, content) values ($1, $2)", [name, content]);
  else if (before.content !== content)
    throw new TroupeError("team_exists", `there is another plan called ${name}: rename one of the two`, { name });
}
