import { join, relative } from "node:path";
import { type Orphan, openOrphans } from "@troupe/backends";
import { messageOf } from "@troupe/protocol";
import type { Team } from "@troupe/store";
import type { Finding, Mending } from "@troupe/store/files";
import { removeMember } from "@troupe/team";
import { openStore, type StorePlace } from "../open.ts";
import { isLedByHand } from "../team/liveness.ts";

/** What the doctor finds besides the files of teams. */
type RecordFinding = Omit<Finding, "kind"> &
  (
    | { readonly kind: "teammate_orphaned" | "record_unreadable" }
    | {
        readonly kind: "teammate_led_by_hand" | "request_waiting" | "teammate_leaderless";
        readonly team: string;
        readonly member: string;
      }
    | { readonly kind: "host_silent"; readonly host: string }
  );

/** A finding of either sort. */
export type Found = Finding | RecordFinding;

/** A finding, and what became of it. */
export type Case = Found & Pick<Mending, "isMended" | "reason">;

interface FoundOrphan {
  readonly found: Case;
  /** Ends it and takes it out of its team. */
  prune(): Promise<Case>;
}

/** Teammates whose lead is dead, and records that cannot be read. */
export async function findOrphans(call: StorePlace): Promise<{
  readonly orphans: readonly FoundOrphan[];
  readonly unreadable: readonly Case[];
}> {
  const { root, environment } = call;
  const records = join(root, "troupe/backends");
  const { find, end } = openOrphans({ records, environment });
  const { orphans, problems } = await find();
  const unreadable = problems.map((message) => ({
    kind: "record_unreadable" as const,
    path: relative(root, records),
    message,
    fix: "look whether its teammate runs, and remove the file",
    isMendable: false,
    isNote: false,
    isMended: false,
  }));
  const all = orphans.map(async (orphan): Promise<FoundOrphan> => {
    const team = await teamOf(call, orphan);
    const found = { ...(await findingOf(root, orphan, team)), isMended: false };
    return {
      found,
      async prune() {
        if (found.kind !== "teammate_orphaned") return found;
        try {
          if ((await end(orphan)) && team && (await isInRoster(team, orphan)))
            await removeMember(team, orphan.record.name);
          return { ...found, isMended: true };
        } catch (error) {
          return { ...found, reason: messageOf(error) };
        }
      },
    };
  });
  return { orphans: await Promise.all(all), unreadable };
}

/** Undefined where it is gone, cannot be read, or is another one of that name. */
async function teamOf(call: StorePlace, { record }: Orphan): Promise<Team | undefined> {
  try {
    const team = await (await openStore(call)).openTeam(record.team);
    const { value } = (await team?.config()) ?? {};
    return value?.createdAt === record.teamCreatedAt ? team : undefined;
  } catch {
    return undefined;
  }
}

/** A later member of its name is another one. */
async function isInRoster(team: Team, { record: { name, joinedAt } }: Orphan): Promise<boolean> {
  const entry = (await team.config()).value?.members.find((member) => member.name === name);
  return entry !== undefined && (joinedAt === undefined || entry.joinedAt === joinedAt);
}

async function findingOf(
  root: string,
  { record, path, isRunning }: Orphan,
  team: Team | undefined,
): Promise<RecordFinding> {
  const { name, backend, process, pane, lead } = record;
  const config = (await team?.config())?.value;
  const where = [process ? `process ${process.pid}` : [], pane ? `pane ${pane}` : []].flat().join(", ");
  const state = isRunning ? `runs on (${where})` : "runs no more";
  const place = { path: relative(root, path), isMendable: false };
  const isByHand = config !== undefined && isLedByHand(root, config);
  if (isByHand && isRunning)
    return {
      ...place,
      kind: "teammate_led_by_hand",
      team: record.team,
      member: name,
      message: `${name} of ${record.team} (${backend}) ${state}; no session leads the team, you do`,
      fix: "ask it to end",
      isNote: true,
    };
  const session = isByHand ? undefined : config?.leadSessionId;
  const goesOn = session === undefined ? "" : `; troupe run --resume ${session} goes on with it`;
  return {
    ...place,
    kind: "teammate_orphaned",
    message: `${name} of ${record.team} (${backend}) ${state}, and its lead, process ${lead.pid}, has ended${goesOn}`,
    fix: "end it and take it out of the team",
    isNote: !isRunning,
  };
}
