import { mkdirSync, writeFileSync } from "node:fs";
import { codecFor, layoutOf, leadOf, nameKey, type TeamConfig, type TeamLayout, TroupeError } from "@troupe/protocol";
import { inTurn, type Store, type Team } from "@troupe/store";
import { publish, withLock } from "@troupe/store/files";
import type { LeaseDeps } from "../lease.ts";
import { openTeam } from "../team.ts";
import { liveTeam, readConfig, type TeamRow } from "../team-row.ts";
import { enter } from "./host.ts";
import { homesIn, type Link, type OfferLimits } from "./link.ts";
import { memoryOf } from "./memory.ts";
import { assertSame, firstConfig } from "./roster.ts";
import { setApart } from "./task-ids.ts";

/** Both stores of a bridge, and the side of the files. */
export interface Sides {
  readonly deps: LeaseDeps;
  readonly shared: Store;
  readonly local: Store;
  /** The directory of the files. */
  readonly directory: string;
  readonly host: string;
  /** The id of the root. */
  readonly root: string;
  readonly limits: OfferLimits;
}

/**
 * Ties a team of the files to that of the database. Where one of the two is missing, it is created
 * as the other has it; undefined where both are.
 */
export async function openLink(sides: Sides, name: string): Promise<Link | undefined> {
  const { deps, host, root } = sides;
  const { database } = deps;
  const layout = layoutOf(sides.directory).team(name);
  const here = await sides.local.openTeam(name);
  const row = (await liveTeam(database.query, name)) ?? (here && (await createShared(sides, here)));
  if (!row) return undefined;
  const local = here ?? (await createLocal(sides, row, layout));
  const shared = openTeam(deps, row);
  const [config, there] = [await configOf(local, "files"), await configOf(shared, "database")];
  assertSame(name, config, there);
  if (local.form !== row.form) {
    const message = `${name} is of ${local.form} in the files and of ${row.form} in the database: rename one of the two`;
    throw new TroupeError("store_refused", message, { name });
  }
  const link: Link = {
    database,
    row,
    codec: codecFor(row.form),
    shared,
    local,
    remove: {
      local: () => sides.local.deleteTeam(name, { evenIfActive: true }),
      shared: () => sides.shared.deleteTeam(name, { evenIfActive: true }),
    },
    layout,
    memory: memoryOf(sides.directory, name, config.createdAt),
    host,
    root,
    epoch: await enter(database, { team: row.id, host, root }),
    homes: await homesIn(database.query, row.id),
    members: new Set(there.members.map((member) => nameKey(member.name))),
    inboxes: new Map(),
    sent: new Map(),
    inTurn: inTurn(),
    passed: new Map(),
    limits: sides.limits,
    unsent: new Map(),
  };
  await setApart(link);
  return link;
}

async function configOf(team: Team, where: string): Promise<TeamConfig> {
  const { value } = await team.config();
  if (value) return value;
  throw new TroupeError("document_unreadable", `the config of ${team.name} in the ${where} cannot be read: mend it`);
}

async function createShared({ deps, shared, root }: Sides, here: Team): Promise<TeamRow | undefined> {
  const config = await configOf(here, "files");
  const lead = leadOf(config);
  const { name, createdAt, leadSessionId, description } = config;
  if (!lead || createdAt === undefined || leadSessionId === undefined || here.form === "between") {
    const message = `${name} cannot be published: its config needs a lead, createdAt and leadSessionId, in the form of 2026-02 or 2026-11`;
    throw new TroupeError("store_refused", message, { name });
  }
  const { model = "", cwd = "", name: leadName } = lead;
  const draft = { name, createdAt, leadSessionId, description, leadName, leadModel: model, cwd };
  await shared.createTeam({ ...draft, revision: here.form }, { once: `bridge ${root} ${name} ${createdAt}` });
  return liveTeam(deps.database.query, name);
}

async function createLocal(sides: Sides, row: TeamRow, layout: TeamLayout): Promise<Team> {
  const { query } = sides.deps.database;
  const codec = codecFor(row.form);
  const found = await readConfig(query, row);
  const config = found && firstConfig(found, await homesIn(query, row.id), sides.host);
  if (!config) throw new TroupeError("store_refused", `the config of ${row.name} in the database is damaged: mend it`);
  for (const directory of [layout.inboxes, layout.tasks]) mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (codec.makesLockWithTeam) writeFileSync(layout.taskLock, "", { flag: "a", mode: 0o600 });
  await withLock(layout.config, (held) => publish(held, layout.config, codec.write(config)));
  const team = await sides.local.openTeam(row.name);
  if (team) return team;
  throw new TroupeError("document_unreadable", `${layout.config} was removed at once: end what cleans up there`);
}
