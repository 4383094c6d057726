import { type Codec, codecFor, type Form, type Read, type TeamConfig } from "@troupe/protocol";
import { unusable } from "@troupe/protocol/rules";
import { teamGone } from "@troupe/store/engine";
import type { Query, Transaction } from "./database.ts";

/** A team of this moment, told from every other that had or will have its name. */
export interface TeamRow {
  readonly id: string;
  readonly name: string;
  readonly form: Form;
  readonly list: string;
  readonly config: string;
  /** Every transaction before this one had ended when the row was read. */
  readonly seen: string;
}

const columns = "id, name, form, list, config::text, pg_snapshot_xmin(pg_current_snapshot())::text as seen";

export async function liveTeam(query: Query, name: string): Promise<TeamRow | undefined> {
  const [row] = await query<TeamRow>(`select ${columns} from team where name = $1 and ended_at is null`, [name]);
  return row;
}

/** Undefined where the team has ended. */
export async function readConfig(query: Query, { id, name, form }: TeamRow): Promise<Read<TeamConfig> | undefined> {
  const now = "select config::text from team where id = $1 and ended_at is null";
  const [row] = await query<Pick<TeamRow, "config">>(now, [id]);
  return row && codecFor(form).readTeam(row.config, name);
}

/** A config, and the transaction that wrote it. */
export interface Seen {
  readonly config: TeamConfig;
  readonly changed: string;
}

/** What was seen last, where it still stands so. Throws `team_unknown` where the team has ended. */
export async function configSeen(query: Query, { id, name, form }: TeamRow, last?: Seen): Promise<Seen> {
  const [row] = await query<{ readonly config: string | null; readonly changed: string }>(
    `select case when changed is distinct from $2::xid8 then config::text end as config, changed::text
     from team where id = $1 and ended_at is null`,
    [id, last?.changed],
  );
  if (!row) throw teamGone(name);
  if (last && row.config === null) return last;
  const found = codecFor(form).readTeam(row.config ?? "", name);
  if (!found.value) throw unusable(`the config of ${name}`, found, "unreadable");
  return { config: found.value, changed: row.changed };
}

export const currentConfig = async (query: Query, team: TeamRow): Promise<TeamConfig> =>
  (await configSeen(query, team)).config;

/** Changes the config while nobody else does; false when there is nothing to change. */
export async function changeConfig(
  { query, touch }: Transaction,
  team: TeamRow,
  codec: Codec,
  work: (found: Read<TeamConfig>) => object | undefined,
): Promise<boolean> {
  await query("select from team where id = $1 for no key update", [team.id]);
  const found = await readConfig(query, team);
  if (!found) throw teamGone(team.name);
  const document = work(found);
  if (!document) return false;
  await query("update team set config = $2, changed = pg_current_xact_id() where id = $1", [
    team.id,
    codec.write(document),
  ]);
  touch(team.id);
  return true;
}
