import { TroupeError } from "@troupe/protocol";
import { assertGiven } from "@troupe/protocol/rules";
import { connectTo, type Query } from "./database.ts";
import { disentitle, entitle, holdRights } from "./hosts.ts";
import { assertMigrated } from "./migrations.ts";
import { type AskedSpawn, askedIn } from "./spawns.ts";

/** A machine that is to run teammates, by the role that it logs in with. */
export interface HostAdmission {
  /** Of a role that owns the tables. */
  readonly url: string;
  readonly role: string;
  /** What a lead can ask for, besides what the host says of its backends and repositories. */
  readonly labels?: readonly string[] | undefined;
}

/** A host as the database knows it. */
export interface Host {
  readonly role: string;
  readonly labels: readonly string[];
  readonly slots: number;
  /** How long its lease lasts, in milliseconds of database time; negative where it has ended. */
  readonly leaseMs: number | null;
  /** How long ago it was heard of. */
  readonly heardMs: number | null;
}

const ownLabel = /^(host|backend|model|repo):/;

/** Lets a role serve as a host: it may take what is asked for, and act as the members of that. */
export function admitHost(admission: HostAdmission): Promise<void> {
  assertGiven("admitHost", admission, { url: "string", role: "string" });
  const { url, role, labels = [] } = admission;
  const own = labels.find((label) => ownLabel.test(label) || label === "");
  if (own !== undefined)
    throw new TroupeError(
      "arguments_invalid",
      `the label ${JSON.stringify(own)} is not the owner's to give: choose one that does not begin with host:, backend:, model: or repo:`,
      { label: own },
    );
  return connected(url, (query) => admitted(query, role, labels));
}

async function admitted(query: Query, role: string, labels: readonly string[]): Promise<void> {
  await holdRights(query);
  await entitle(query, role);
  await query(
    "insert into host (role, given) values ($1, $2) on conflict (role) do update set given = excluded.given",
    [role, labels],
  );
}

/**
 * Takes a host out: what it writes from then on is refused, and what it was asked for waits for
 * another.
 */
export function dismissHost({ url, role }: Pick<HostAdmission, "url" | "role">): Promise<boolean> {
  assertGiven("dismissHost", { url, role }, { url: "string", role: "string" });
  return connected(url, async (query) => {
    await holdRights(query);
    await query("select from host_grant where role = $1 order by team, member for update", [role]);
    await query("delete from host_grant where role = $1 and epoch is not null", [role]);
    await query(
      `update spawn_request set role = null, changed_at = clock_timestamp(),
         state = case when state = 'ended' or stop_ms is not null then 'ended' else 'wanted' end,
         detail = case when state <> 'ended' and stop_ms is not null then 'its host was removed' else detail end
       where role = $1`,
      [role],
    );
    const gone = await query("delete from host where role = $1 returning role", [role]);
    if (gone.length > 0) await disentitle(query, role);
    return gone.length > 0;
  });
}

/** All hosts, and what was asked of them and has not ended; to the role of a host, its own. */
export function lookAtHosts({ url }: Pick<HostAdmission, "url">): Promise<{
  readonly hosts: readonly Host[];
  readonly spawns: readonly AskedSpawn[];
}> {
  assertGiven("lookAtHosts", { url }, { url: "string" });
  return connected(url, async (query) => ({
    hosts: await query<Host>(
      `select role, labels, slots,
         (1000 * extract(epoch from lease_until - clock_timestamp()))::float8 as "leaseMs",
         (1000 * extract(epoch from clock_timestamp() - heard_at))::float8 as "heardMs"
       from host order by role collate "C"`,
    ),
    spawns: await askedIn(query, "r.state <> 'ended'", []),
  }));
}

async function connected<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  const database = connectTo(url);
  try {
    await assertMigrated(database);
    return await database.transaction(({ query }) => work(query));
  } finally {
    await database.close();
  }
}
