import { assertGiven } from "@troupe/protocol/rules";
import type { Archive, ArchivedList, ArchivedTeam, ArchivedText } from "@troupe/store";
import { connectTo, type Query } from "./database.ts";
import { eventsOf } from "./history.ts";
import { fromJson, laidOut } from "./json-text.ts";
import { assertMigrated } from "./migrations.ts";
import { namesIn } from "./onlook.ts";
import type { PostgresStoreDeps } from "./postgres-store.ts";
import { liveTeam, type TeamRow } from "./team-row.ts";

/** The key of a message that is the text of a whole inbox, which is no JSON. */
export const wholeInbox = "whole";

/** All teams, lists and plans of one moment. */
export async function exportPostgresStore(deps: PostgresStoreDeps): Promise<Archive> {
  assertGiven("exportPostgresStore", deps, { url: "string" });
  const database = connectTo(deps.url, { isWhole: true });
  try {
    await assertMigrated(database);
    return await database.transaction(async ({ query }) => {
      const teams: ArchivedTeam[] = [];
      const lists: ArchivedList[] = [];
      for (const name of await namesIn(query, "team")) {
        const team = await liveTeam(query, name);
        if (team) teams.push(await teamOf(query, team));
      }
      const named = new Set(teams.map(({ name }) => name));
      for (const name of await namesIn(query, "task_list")) {
        const list = await listCalled(query, name);
        if (list.lastId > 0 || named.has(name)) lists.push(list);
      }
      const plans = await query<{ name: string; doc: string }>(
        'select name, content::text as doc from plan order by name collate "C"',
      );
      return { teams, lists, plans: plans.map(({ name, doc }) => ({ name, text: JSON.parse(doc) })) };
    }, "repeatable read");
  } finally {
    await database.close();
  }
}

async function teamOf(query: Query, team: TeamRow): Promise<ArchivedTeam> {
  const { id, name, form, config } = team;
  const owners = await query<{ name: string }>(
    'select name from inbox where team = $1 and next_seq > 1 order by name collate "C"',
    [id],
  );
  const inboxes: ArchivedText[] = [];
  for (const { name: owner } of owners) inboxes.push(...(await inboxOf(query, id, owner)));
  const events = [];
  for await (const { id: _, ...event } of eventsOf({ query }, id)) events.push(event);
  return { name, form, config: fromJson(config), inboxes, events };
}

/** What was no JSON when it was imported stands beside what has come since. */
async function inboxOf(query: Query, team: string, name: string): Promise<ArchivedText[]> {
  const rows = await query<{ doc: string; content_key: string }>(
    "select doc::text, content_key from message where team = $1 and name = $2 and state <> 'gone' order by seq",
    [team, name],
  );
  const damaged = rows.filter(({ content_key }) => content_key === wholeInbox).map(({ doc }) => fromJson(doc));
  const [whole] = damaged;
  const entries = rows.filter(({ content_key }) => content_key !== wholeInbox).map(({ doc }) => doc);
  if (whole !== undefined && entries.length === 0) return [{ name, text: whole }];
  const aside = damaged.map((text) => ({ name: `${name}.damaged`, text }));
  return [{ name, text: laidOut(`[${entries.join(",")}]`) }, ...aside];
}

async function listCalled(query: Query, name: string): Promise<ArchivedList> {
  const [list] = await query<{ id: string; last: number }>(
    `select id, greatest(next_task - 1, (select max(id) from task where list = l.id))::float8 as last
     from task_list l where name = $1 and ended_at is null`,
    [name],
  );
  const rows = await query<{ id: string; doc: string; changed_at: Date }>(
    "select id, doc::text, changed_at from task where list = $1 and not is_gone order by id",
    [list?.id],
  );
  const tasks = rows.map(({ id, doc, changed_at }) => ({
    name: id,
    text: fromJson(doc),
    changedAt: changed_at.getTime(),
  }));
  return { name, tasks, lastId: list?.last ?? 0 };
}
