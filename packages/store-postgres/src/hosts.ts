import { leadOf, TroupeError } from "@troupe/protocol";
import { assertGiven, senderOf } from "@troupe/protocol/rules";
import { teamRemoved } from "@troupe/store/engine";
import { connectTo, type Query } from "./database.ts";
import { assertMigrated } from "./migrations.ts";
import { currentConfig, liveTeam } from "./team-row.ts";

/** Members of a team, and the role of the host on which they run. */
export interface HostGrant {
  /** Of a role that owns the tables. */
  readonly url: string;
  readonly role: string;
  readonly team: string;
  readonly members: readonly string[];
}

const grantShape = { url: "string", role: "string", team: "string", members: "strings" } as const;

/** Rights are given while this is held. */
const grantLock = 7_207_180_003n;

/** What a role needs besides a grant: rows are chosen by policies, and changes by triggers. */
const rights: Readonly<Record<string, string>> = {
  migration: "select",
  host_grant: "select",
  team: "select, update (config, changed)",
  task_list: "select, update (next_task)",
  task: "select, insert (list, id, doc, as_taken, is_ready, changed_at, changed), update (doc, as_taken, is_ready, is_gone, changed_at, changed)",
  task_edge: "select, insert, delete",
  inbox: "select, insert (team, name, changed), update (next_seq, epoch, lease_until, changed)",
  message: "select, insert (team, name, seq, doc, content_key), update (doc, state)",
  history: "select, update (next_seq)",
  event: "select, insert",
  kept_result: "select, insert",
  plan: "select, insert (name, content), update (content)",
  host: "select",
  spawn_request: "select",
  bridge_ids: "select",
};

/**
 * Lets a role act as these members, and takes them from the host that had them: what that writes
 * for them from then on is refused, and its leases have ended. The role must be there, and must not
 * be one that policies do not hold for.
 */
export function grantHost(grant: HostGrant): Promise<void> {
  assertGiven("grantHost", grant, grantShape);
  const { role } = grant;
  return asOwner(grant, async (query, { team, members }) => {
    await entitle(query, role);
    // Inboxes before grants, as those who send and receive take them.
    await query(
      `update inbox set epoch = epoch + 1, lease_until = null, changed = pg_current_xact_id()
       where team = $1 and name = any($2)
         and name not in (select member from host_grant where team = $1 and role = $3)`,
      [team, members, role],
    );
    await query("select from host_grant where team = $1 and member = any($2) order by member for update", [
      team,
      members,
    ]);
    await query(
      `insert into host_grant (team, member, role) select $1, member, $3 from unnest($2::text[]) as member
       on conflict (team, member) do update set role = excluded.role, epoch = null`,
      [team, members, role],
    );
  });
}

/** Takes members from the host that has them; one that has none left sees and changes nothing. */
export function revokeHost(grant: HostGrant): Promise<void> {
  assertGiven("revokeHost", grant, grantShape);
  const { role } = grant;
  return asOwner(grant, async (query, { team, members }) => {
    await query("delete from host_grant where team = $1 and member = any($2) and role = $3", [team, members, role]);
    await disentitle(query, role);
  });
}

/** Gives a role what it needs to act as the members that it is granted. */
export async function entitle(query: Query, role: string): Promise<void> {
  await assertHeld(query, role);
  const schema = await schemaIn(query);
  await query(`revoke all on all tables in schema ${schema} from ${quoted(role)}`);
  await query(`grant usage on schema ${schema} to ${quoted(role)}`);
  for (const [table, right] of Object.entries(rights)) await query(`grant ${right} on ${table} to ${quoted(role)}`);
}

/** Takes that away from a role that neither has a member nor serves as a host. */
export async function disentitle(query: Query, role: string): Promise<void> {
  const used = "select from host_grant where role = $1 union all select from host where role = $1 limit 1";
  if ((await query(used, [role])).length > 0) return;
  const schema = await schemaIn(query);
  await query(`revoke all on all tables in schema ${schema} from ${quoted(role)}`);
  await query(`revoke usage on schema ${schema} from ${quoted(role)}`);
}

/** Of two that change rights on one table at once, the server gives one an error. */
export const holdRights = (query: Query) => query("select pg_advisory_xact_lock($1)", [grantLock]);

interface Granted {
  /** The id of the team. */
  readonly team: string;
  /** As the team spells them. */
  readonly members: readonly string[];
}

async function asOwner(
  { url, team, members }: HostGrant,
  work: (query: Query, granted: Granted) => Promise<void>,
): Promise<void> {
  const database = connectTo(url);
  try {
    await assertMigrated(database);
    await database.transaction(async ({ query }) => {
      await holdRights(query);
      const row = await liveTeam(query, team);
      if (!row) throw teamRemoved(team);
      const config = await currentConfig(query, row);
      const known = members.map((member) => senderOf(config, member).name);
      const lead = leadOf(config)?.name;
      if (lead !== undefined && known.includes(lead)) {
        const message = `${lead} leads ${team}: its process uses a role that owns the tables, and a host gets other members`;
        throw new TroupeError("lead_fixed", message, { team, name: lead });
      }
      await work(query, { team: row.id, members: known });
    });
  } finally {
    await database.close();
  }
}

/** Throws `store_refused` for a role that is missing, or that can do more than a host may. */
async function assertHeld(query: Query, role: string): Promise<void> {
  const refuse = (why: string) => new TroupeError("store_refused", why, { role });
  const [found] = await query<{ more: string | null; mayCreate: boolean; schema: string }>(
    `select (select r.rolname from pg_roles r where pg_has_role(host.oid, r.oid, 'member')
             and (r.rolsuper or r.rolbypassrls or r.rolcreaterole or r.rolreplication or r.rolname like 'pg\\_%'
                  or r.oid = (select relowner from pg_class where oid = 'host_grant'::regclass))
             order by r.oid <> host.oid, r.rolname like 'pg\\_%', r.rolname limit 1) as more,
            current_schema() as schema,
            has_schema_privilege(host.oid, current_schema(), 'create') as "mayCreate"
     from pg_roles host where host.rolname = $1`,
    [role],
  );
  if (!found) throw refuse(`there is no role ${role}: create it first, such as by createuser --pwprompt ${role}`);
  const why = found.more === role ? "is more than a host may be" : `is a member of ${found.more}`;
  if (found.more !== null)
    throw refuse(`the role ${role} ${why}: give the host a role of its own, without attributes and memberships`);
  if (found.mayCreate)
    throw refuse(
      `${role} can create tables beside those of the store: revoke create on schema ${found.schema} from public`,
    );
}

async function schemaIn(query: Query): Promise<string> {
  const [found] = await query<{ name: string }>("select quote_ident(current_schema()) as name");
  return found?.name ?? "public";
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
