import { TroupeError } from "@troupe/protocol";
import { teamRemoved } from "@troupe/store/engine";
import type { Database, Query } from "./database.ts";
import type { Listening, Wakes } from "./wakes.ts";

/** Those who wait for hosts, or for what is asked of them, listen to this instead of a team. */
export const spawnsTopic = "hosts";

/** A teammate that hosts are asked for, as it stands. */
export interface AskedSpawn {
  readonly id: string;
  readonly team: string;
  readonly member: string;
  /** As it was asked for. */
  readonly spec: object;
  /** Labels that its host has to have, all of them. */
  readonly wanted: readonly string[];
  /** `taken` until it is at work; `wanted` again where its host gave it back. */
  readonly state: "wanted" | "taken" | "running" | "ended";
  readonly host: string | null;
  /** Of its newest start, as decimal digits. */
  readonly epoch: string | null;
  /** How often it was started. */
  readonly starts: number;
  /** Whether the lease of its host lasts; null where none has it. */
  readonly isHeard: boolean | null;
  /** How long ago its host was heard of. */
  readonly heardMs: number | null;
  readonly stopMs: number | null;
  readonly reason: string | null;
  readonly detail: string | null;
  /** What its host says of its work, such as a branch. */
  readonly result: object | null;
}

/** What a lead asks of hosts. It needs a role that owns the tables. */
export interface Spawns {
  /**
   * The same words for the same member are the same request. Throws `name_taken` where that member
   * is asked for already in others.
   */
  ask(asked: Pick<AskedSpawn, "team" | "member" | "spec" | "wanted">): Promise<string>;
  look(id: string): Promise<AskedSpawn | undefined>;
  /** Of all teams that have or had this name, what has not ended. */
  open(team: string): Promise<readonly AskedSpawn[]>;
  /** Asks the host to end it; ends it at once where none has it. */
  stop(id: string, graceMs: number): Promise<void>;
  /** Ends it whatever its host says: that writes nothing for it any more. */
  giveUp(id: string, why: string): Promise<void>;
  /** Hints that something of hosts has changed. */
  listen(): Listening;
}

export function spawnsIn(database: Database, wakes: Wakes): Spawns {
  const { query, transaction } = database;
  return {
    ask: ({ team, member, spec, wanted }) =>
      transaction(async (open) => {
        // A team that is about to end is waited for.
        const live = "select id from team where name = $1 and ended_at is null for key share";
        const [row] = await open.query<{ id: string }>(live, [team]);
        if (!row) throw teamRemoved(team);
        const text = JSON.stringify(spec);
        const [made] = await open.query<{ id: string }>(
          `insert into spawn_request (team, team_name, member, spec, wanted) values ($1, $2, $3, $4, $5)
           on conflict (team, member) where state <> 'ended' do nothing returning id`,
          [row.id, team, member, text, wanted],
        );
        open.touch(spawnsTopic);
        const same =
          "select id from spawn_request where team = $1 and member = $2 and state <> 'ended' and spec::text = $3";
        const [asked] = made ? [made] : await open.query<{ id: string }>(same, [row.id, member, text]);
        if (asked) return asked.id;
        const message = `hosts are asked for ${member} of ${team} already: stop that one first`;
        throw new TroupeError("name_taken", message, { team, name: member });
      }),

    look: async (id) => (await askedIn(query, "r.id = $1", [id]))[0],
    open: (team) => askedIn(query, "r.team_name = $1 and r.state <> 'ended'", [team]),

    stop: (id, graceMs) =>
      transaction(async (open) => {
        await open.query(
          `update spawn_request set stop_ms = $2, changed_at = clock_timestamp(),
             detail = case state when 'wanted' then 'it was given up before a host took it' else detail end,
             reason = case state when 'wanted' then 'shutdown' else reason end,
             state = case state when 'wanted' then 'ended' else state end
           where id = $1 and state <> 'ended'`,
          [id, graceMs],
        );
        open.touch(spawnsTopic);
      }),

    giveUp: (id, why) =>
      transaction(async (open) => {
        const own = "epoch = (select epoch from spawn_request where id = $1)";
        await open.query(`select from host_grant where ${own} for update`, [id]);
        await open.query(
          `update spawn_request set state = 'ended', reason = 'lost', detail = $2, changed_at = clock_timestamp()
           where id = $1 and state <> 'ended'`,
          [id, why],
        );
        await open.query(`delete from host_grant where ${own}`, [id]);
        open.touch(spawnsTopic);
      }),

    listen: () => wakes.listen({ team: spawnsTopic }),
  };
}

/** What is asked for, oldest first. */
export const askedIn = (query: Query, where: string, values: readonly unknown[]): Promise<readonly AskedSpawn[]> =>
  query<AskedSpawn>(
    `select r.id, r.team_name as team, r.member, r.spec, r.wanted, r.state, r.role as host, r.epoch, r.starts,
       h.lease_until > clock_timestamp() as "isHeard",
       (1000 * extract(epoch from clock_timestamp() - h.heard_at))::float8 as "heardMs",
       r.stop_ms as "stopMs", r.reason, r.detail, r.result
     from spawn_request r left join host h on h.role = r.role
     where ${where} order by r.id`,
    values,
  );
