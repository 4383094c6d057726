import { existsSync } from "node:fs";
import { dirname } from "node:path";
import {
  type InboxEntry,
  isTroupeError,
  leadOf,
  nameKey,
  type Read,
  type TeamConfig,
  TroupeError,
} from "@troupe/protocol";
import { memberOf } from "@troupe/protocol/rules";
import { teamGone } from "@troupe/store/engine";
import { publish, readNamedFile, withLock } from "@troupe/store/files";
import type { Transaction } from "../database.ts";
import { changeConfig, readConfig } from "../team-row.ts";
import { type Homes, homesIn, type Link, livesHere, within } from "./link.ts";
import { isMark } from "./task-merge.ts";

/** The backend of a member that lives elsewhere, as its entry in the files says it. */
const remote = "remote";

type Entry = Readonly<Record<string, unknown>> & { readonly name: string };
type Config = Readonly<Record<string, unknown>> & { readonly members: readonly Entry[] };

const configOf = ({ raw, value }: Read<TeamConfig>): Config | undefined => (value ? (raw as Config) : undefined);
const called = (name: string) => (entry: Entry) => nameKey(entry.name) === nameKey(name);
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * Its pane and its first instruction are of another machine. The pane of a lead is a word, by which
 * the revision is told.
 */
const mirrored = ({ prompt: _, ...entry }: Entry): Entry => ({
  ...entry,
  tmuxPaneId: entry["tmuxPaneId"] === "leader" ? "leader" : "",
  backendType: remote,
});

/** The fields of the team where its lead lives elsewhere: its process means nothing here. */
function topOf({ leadProcess, ...top }: Config): Config {
  return isObject(leadProcess) ? { ...top, leadProcess: { ...leadProcess, pidSpace: remote } } : top;
}

/**
 * Publishes the members that live here, and shows those that live elsewhere in the files; one way
 * each. The rest of the config goes the way of the lead. Gives what stands in the way.
 */
export async function carryMembers(link: Link): Promise<readonly string[]> {
  await endWithOther(link);
  try {
    return await carryBoth(link);
  } catch (error) {
    // The other side may have ended since the look.
    if (isTroupeError(error) && (error.code === "team_unknown" || error.code === "lease_lost"))
      await endWithOther(link);
    throw error;
  }
}

async function carryBoth(link: Link): Promise<readonly string[]> {
  const found = readLocal(link);
  const local = configOf(found);
  if (!local || !found.isWritable) return [`${link.layout.config} cannot be read: mend it`];
  let shared!: Config;
  link.homes = await within(link, async (transaction) => {
    const homes = await homesIn(transaction.query, link.row.id);
    await changeConfig(transaction, link.row, link.codec, (read) => {
      const before = configOf(read);
      if (!before) throw new TroupeError("store_refused", `the config of ${link.row.name} in the database is damaged`);
      shared = publishedIn(before, local, homes, link);
      return isSame(before, shared) ? undefined : shared;
    });
    return moveIn(transaction, link, local, shared, homes);
  });
  link.members = new Set(shared.members.map(({ name }) => nameKey(name)));
  if (!isSame(shownIn(local, shared, link), local)) await show(link, shared);
  const doubled = foreignAmong(shared, link).filter(({ name }) =>
    local.members.some((entry) => called(name)(entry) && entry["backendType"] !== remote),
  );
  return doubled.map(
    ({ name }) => `${name} lives on ${link.homes.get(nameKey(name)) ?? "another machine"} already: rename the one here`,
  );
}

/**
 * Takes out of the files who tells a lead of elsewhere that it ends: no client here would do so.
 */
export async function letGo(link: Link, to: string, entries: readonly InboxEntry[]): Promise<void> {
  const agreements = entries.filter(({ text }) => {
    const read = link.codec.readBody(text);
    return read.kind === "message" && read.body.type === "shutdown_approved";
  });
  if (agreements.length === 0) return;
  const { value } = await link.local.config();
  const lead = value && leadOf(value)?.name;
  if (!lead || nameKey(lead) !== nameKey(to) || livesHere(link, lead)) return;
  for (const { from, timestamp } of agreements) {
    const member = memberOf(value, from);
    // One of that name who joined later has agreed to nothing.
    if (member && Date.parse(timestamp) >= (member.joinedAt ?? 0)) await link.local.leave(member.name);
  }
}

/**
 * A team ends with the files of its lead, and in all others with the database. Throws
 * `team_unknown` then.
 */
async function endWithOther(link: Link): Promise<void> {
  const { layout, row, database } = link;
  const shared = await readConfig(database.query, row);
  const lead = shared?.value && leadOf(shared.value)?.name;
  const isHere = existsSync(layout.directory) || !existsSync(dirname(layout.directory));
  if (shared && isHere) return;
  if (shared && (lead === undefined || !livesHere(link, lead)))
    throw new TroupeError("document_unreadable", `${layout.directory} is gone: stop the bridge and start it again`);
  await (shared ? link.remove.shared() : link.remove.local());
  throw teamGone(row.name);
}

const readLocal = ({ layout, codec, row }: Link): Read<TeamConfig> =>
  codec.readTeam(readNamedFile(layout.config), row.name);

const foreignAmong = ({ members }: Config, { homes, host }: Pick<Link, "homes" | "host">): readonly Entry[] =>
  members.filter(({ name }) => homes.get(nameKey(name)) !== host);

/** Whether a member of the files is this host's to publish. */
function isOurs(entry: Entry, shared: Config, homes: Homes, { host }: Link): boolean {
  if (entry["backendType"] === remote) return false;
  const there = shared.members.find(called(entry.name));
  const home = homes.get(nameKey(entry.name));
  if (!there || home === host) return true;
  // What was imported from these very files, or created for them, has no home yet.
  const isLead = leadOf(shared as unknown as TeamConfig)?.name === there.name;
  return home === undefined && (isLead || there["joinedAt"] === entry["joinedAt"]);
}

/** The config in the database, with the members of this host as its files have them. */
function publishedIn(before: Config, local: Config, homes: Homes, link: Link): Config {
  const ours = local.members.filter((entry) => isOurs(entry, before, homes, link));
  const mark = ours.find(({ name }) => isMark(name));
  if (mark)
    throw new TroupeError("name_invalid", `${mark.name} would be taken for a host: rename that member`, {
      name: mark.name,
    });
  const lead = leadOf(before as unknown as TeamConfig)?.name;
  const isLead = lead !== undefined && ours.some(called(lead));
  const kept = before.members.flatMap((entry) => {
    const own = ours.find(called(entry.name));
    const hasLeft = homes.get(nameKey(entry.name)) === link.host && !own && entry.name !== lead;
    return own ?? (hasLeft ? [] : entry);
  });
  const added = ours.filter(({ name }) => !before.members.some(called(name)));
  const top = isLead ? local : before;
  return { ...top, members: [...kept, ...added] };
}

/** Notes for the members of this host that they live here. */
async function moveIn({ query }: Transaction, link: Link, local: Config, shared: Config, homes: Homes): Promise<Homes> {
  const after = new Map(homes);
  for (const entry of local.members) {
    if (!isOurs(entry, shared, homes, link) || !shared.members.some((one) => isSame(one, entry))) continue;
    if (homes.get(nameKey(entry.name)) === link.host) continue;
    await query(
      `insert into bridge_member (team, member, host) values ($1, $2, $3)
       on conflict (team, member) do update set host = excluded.host`,
      [link.row.id, nameKey(entry.name), link.host],
    );
    after.set(nameKey(entry.name), link.host);
  }
  return after;
}

/** The config of the files, with the members of elsewhere as the database has them. */
function shownIn(local: Config, shared: Config, link: Pick<Link, "homes" | "host">): Config {
  const foreign = foreignAmong(shared, link);
  const lead = leadOf(shared as unknown as TeamConfig)?.name;
  const isLedElsewhere = lead !== undefined && foreign.some(called(lead));
  const kept = local.members.flatMap((entry) => {
    if (entry["backendType"] !== remote) return entry;
    const there = foreign.find(called(entry.name));
    return there ? mirrored(there) : [];
  });
  const added = foreign.filter(({ name }) => !local.members.some(called(name))).map(mirrored);
  const isFirst = (entry: Entry) => entry.name === lead;
  const members = [...added.filter(isFirst), ...kept, ...added.filter((entry) => !isFirst(entry))];
  return { ...(isLedElsewhere ? topOf(shared) : local), members };
}

const show = (link: Link, shared: Config): Promise<void> =>
  withLock(link.layout.config, (held) => {
    const now = configOf(readLocal(link));
    const after = now && shownIn(now, shared, link);
    if (after && !isSame(after, now)) publish(held, link.layout.config, link.codec.write(after));
  });

/** The files' first config of a team that lives elsewhere. */
export function firstConfig(shared: Read<TeamConfig>, homes: Homes, host: string): object | undefined {
  const config = configOf(shared);
  if (!config) return undefined;
  return { ...topOf(config), members: foreignAmong(config, { homes, host }).map(mirrored) };
}

/** Throws `store_refused` where the files have another team of that name than the database. */
export function assertSame(name: string, local: TeamConfig, shared: TeamConfig): void {
  if (local.createdAt === shared.createdAt && local.leadSessionId === shared.leadSessionId) return;
  const message = `${name} is another team here than in the database: rename one of the two, or name other teams`;
  throw new TroupeError("store_refused", message, { name, lead: memberOf(local, "team-lead")?.name });
}
