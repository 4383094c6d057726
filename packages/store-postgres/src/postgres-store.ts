import { codecFor, layoutOf, TroupeError, teamName } from "@troupe/protocol";
import { assertGiven, assertIdle } from "@troupe/protocol/rules";
import type { Store } from "@troupe/store";
import { checkedStore, sessionLeading, teamExists, teamRemoved, whileOpen } from "@troupe/store/engine";
import { connectTo, only, type Query, type Transaction } from "./database.ts";
import { heldLeases } from "./held-leases.ts";
import { pastOf } from "./history.ts";
import { keptUnder } from "./kept-result.ts";
import type { LeaseDeps } from "./lease.ts";
import { assertMigrated } from "./migrations.ts";
import { namesIn, onlookAt } from "./onlook.ts";
import { type Spawns, spawnsIn, spawnsTopic } from "./spawns.ts";
import { openTasks, type TasksDeps } from "./tasks.ts";
import { openTeam } from "./team.ts";
import { liveTeam } from "./team-row.ts";
import { openWakes } from "./wakes.ts";

export interface PostgresStoreDeps {
  /** As libpq has it: `postgres://user@host/database`. */
  readonly url: string;
}

/** A store whose teammates may run on several machines. */
export interface PostgresStore extends Store {
  /** What is asked of hosts. */
  readonly spawns: Spawns;
}

/** The names and sessions of teams are given while this is held. */
const teamsLock = 7_207_180_002n;

/**
 * The store of teams whose members work on several machines. Throws `store_refused` until
 * `migratePostgresStore` has created its tables.
 */
export async function openPostgresStore(deps: PostgresStoreDeps): Promise<PostgresStore> {
  assertGiven("openPostgresStore", deps, { url: "string" });
  const { url } = deps;
  const database = connectTo(url);
  try {
    await assertMigrated(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  const { query, transaction } = database;
  const closing = new AbortController();
  const wakes = openWakes(url, database);
  const held = heldLeases(database);
  const teamDeps: LeaseDeps = { database, wakes, closing: closing.signal, held };
  let closed: Promise<void> | undefined;

  async function close(): Promise<void> {
    closing.abort();
    await Promise.all(held.all().map((lease) => lease.release().catch(() => {})));
    await wakes.close();
    await database.close();
  }

  const store = checkedStore(closing.signal, {
    async createTeam({ revision = "2026-02", ...draft }, { once } = {}) {
      const codec = codecFor(revision);
      const name = teamName(draft.name);
      const config = codec.write(codec.newTeam(draft));
      const row = await transaction(async (open) => {
        await holdTeams(open);
        const kept = once === undefined ? undefined : keptUnder<{ id: string }>(open.query, "store", once);
        const before = await kept?.read();
        if (before) {
          const team = await liveTeam(open.query, name);
          if (team?.id === before.id) return team;
          throw teamRemoved(name);
        }
        await assertFree(open.query, name, draft.leadSessionId);
        const { id } = only(
          await open.query<{ id: string }>(
            `insert into team (name, form, session_id, config, list, changed)
             values ($1, $2, $3, $4, $5, pg_current_xact_id()) returning id`,
            [name, revision, draft.leadSessionId, config, await listNamed(open.query, name)],
          ),
        );
        await open.query("insert into history (team) values ($1)", [id]);
        await kept?.keep({ id });
        return liveTeam(open.query, name);
      });
      if (!row) throw teamRemoved(name);
      return openTeam(teamDeps, row);
    },

    async openTeam(name) {
      const row = await liveTeam(query, teamName(name));
      return row && openTeam(teamDeps, row);
    },

    listTeams: () => namesIn(query, "team"),

    async deleteTeam(name, { evenIfActive = false } = {}) {
      await transaction(async (open) => {
        await holdTeams(open);
        const ended = "update team set ended_at = clock_timestamp(), changed = pg_current_xact_id() where id = $1";
        const before = await liveTeam(open.query, teamName(name));
        if (!before) return;
        await open.query("select from team where id = $1 for update", [before.id]);
        // Who joined while this was waited for is seen by a second look.
        const team = (await liveTeam(open.query, name)) ?? before;
        const { readTeam, removesTasksWithTeam } = codecFor(team.form);
        const { value } = readTeam(team.config, name);
        if (value && !evenIfActive) assertIdle(name, value);
        await open.query(ended, [team.id]);
        if (removesTasksWithTeam)
          await open.query("update task_list set ended_at = clock_timestamp() where id = $1", [team.list]);
        open.touch(team.id);
        open.touch(spawnsTopic);
      });
    },

    tasksOfSession(sessionId) {
      const name = teamName(sessionId);
      const codec = codecFor("2026-11");
      const open = async (within: Transaction) => ({ list: await listNamed(within.query, name), wake: () => {} });
      const asSeen: TasksDeps["asSeen"] = async (_, work) =>
        only([await work(await database.transaction(open))].flatMap((done) => done ?? []));
      return whileOpen(closing.signal, openTasks({ database, codec, open, asSeen }));
    },

    async savePlan(name, text) {
      const upsert =
        "insert into plan (name, content) values ($1, $2) on conflict (name) do update set content = excluded.content";
      await query(upsert, [planName(name), JSON.stringify(text)]);
    },

    async readPlan(name) {
      const one = "select content::text from plan where name = $1";
      const [row] = await query<{ content: string }>(one, [planName(name)]);
      return row && JSON.parse(row.content);
    },

    onlook: () => onlookAt(database),
    past: (name) => pastOf(database, name),

    close() {
      closed ??= close();
      return closed;
    },
  });
  return { ...store, spawns: spawnsIn(database, wakes) };
}

export const holdTeams = ({ query }: Transaction) => query("select pg_advisory_xact_lock($1)", [teamsLock]);

/** The list of that name, made unless it is there: a team's outlives it in one revision. */
async function listNamed(query: Query, name: string): Promise<string> {
  const there = "select id from task_list where name = $1 and ended_at is null";
  const [row] = await query<{ id: string }>(there, [name]);
  if (row) return row.id;
  await query("insert into task_list (name) values ($1) on conflict do nothing", [name]);
  return only(await query<{ id: string }>(there, [name])).id;
}

async function assertFree(query: Query, name: string, sessionId: string): Promise<void> {
  const taken = "select name from team where ended_at is null and (name = $1 or session_id = $2)";
  const names = (await query<{ name: string }>(taken, [name, sessionId])).map((row) => row.name);
  if (names.includes(name)) throw teamExists(name);
  if (names[0] !== undefined) throw sessionLeading(sessionId, names[0]);
}

/** The name of a plan is that of a file in other stores: the same names are refused here. */
function planName(name: string): string {
  layoutOf("/").plan(`${name}.md`);
  if (Buffer.byteLength(name) <= 200) return name;
  throw new TroupeError("name_invalid", "the name of the plan has more than 200 bytes: shorten it", { name });
}
