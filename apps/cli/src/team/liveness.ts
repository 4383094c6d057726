import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Orphan } from "@troupe/backends";
import { escapeProjectPath, LeadProcess, layoutOf, leadOf, type TeamConfig } from "@troupe/protocol";
import type { Store, TeamView } from "@troupe/store";
import { isRunningHere } from "@troupe/store/files";
import type { Call } from "../command.ts";

/** Whether somebody is at work in a team, and when something last happened in it. */
export interface Liveness {
  readonly isLive: boolean;
  /** Milliseconds since the epoch; 0 if nothing tells. */
  readonly changedAt: number;
}

type Place = Pick<Call, "root" | "now" | "environment">;

/** A team of which no process is known counts as live for so long after its last change. */
const restMs = 24 * 60 * 60 * 1_000;

/**
 * A team is live while its lead or a teammate runs. Of one whose processes nobody recorded only its
 * last change tells.
 */
export async function livenessOf(place: Place, view: TeamView): Promise<Liveness> {
  const { root } = place;
  const nowMs = place.now().getTime();
  const changedAt = lastChange(view, nowMs);
  const { config } = view;
  const known = config && leadKnown(root, config);
  const isLed = known && isRunningHere(known);
  if (isLed) return { isLive: true, changedAt };
  const started = await startedFor(place, view.team).catch(() => []);
  const isRecent = isLed === undefined && nowMs - changedAt < restMs;
  return { isLive: isRecent || started.some(({ isRunning }) => isRunning), changedAt };
}

/**
 * The session that led the team runs no more, nor does anything that was started for it. One of
 * Troupe's, which records its turns, has taken away its lease when it left in order.
 */
export async function isOver(
  place: Omit<Place, "now">,
  { team, config, hasTurns }: { readonly team: string; readonly config: TeamConfig; readonly hasTurns: boolean },
): Promise<boolean> {
  const known = leadKnown(place.root, config);
  if (known ? isRunningHere(known) !== false : !hasTurns) return false;
  return !(await startedFor(place, team)).some(({ isRunning }) => isRunning);
}

/**
 * What was started for the team; what starts and ends processes is loaded only where there is some.
 */
export async function startedFor({ root, environment }: Omit<Place, "now">, team: string): Promise<readonly Orphan[]> {
  const records = join(root, "troupe/backends");
  if (!existsSync(records)) return [];
  const { openOrphans } = await import("@troupe/backends");
  return openOrphans({ records, environment }).startedFor(team);
}

/** The names of the teams that are live, the newest first. */
export async function findLiveTeams(place: Place, store: Pick<Store, "onlook">): Promise<readonly string[]> {
  const { teams } = (await store.onlook().all({ isPatient: true })).found;
  const looked = await Promise.all(teams.map(async (view) => ({ view, ...(await livenessOf(place, view)) })));
  return looked
    .filter(({ isLive }) => isLive)
    .sort((a, b) => (b.view.config?.createdAt ?? 0) - (a.view.config?.createdAt ?? 0))
    .map(({ view }) => view.team);
}

/** The process of the session that leads, if it runs. */
export function runningLead(root: string, config: TeamConfig): LeadProcess | undefined {
  const known = leadKnown(root, config);
  return known && isRunningHere(known) ? known : undefined;
}

/** No session has ever led the team: a person does, by commands. */
export function isLedByHand(root: string, config: TeamConfig): boolean {
  const transcript = leadTranscript(root, config);
  return config.leadProcess === undefined && (transcript === undefined || !existsSync(transcript));
}

function leadTranscript(root: string, config: TeamConfig): string | undefined {
  const { cwd } = leadOf(config) ?? {};
  if (config.leadSessionId === undefined || cwd === undefined) return undefined;
  return layoutOf(root).transcript(escapeProjectPath(cwd), config.leadSessionId);
}

/** As the config says, or the lease beside the transcript of the session that leads. */
export function leadKnown(root: string, config: TeamConfig): LeadProcess | undefined {
  const { leadProcess } = config;
  if (leadProcess) return leadProcess;
  const transcript = leadTranscript(root, config);
  if (transcript === undefined) return undefined;
  try {
    return LeadProcess.parse(JSON.parse(readFileSync(`${transcript}.lease`, "utf8")));
  } catch {
    return undefined;
  }
}

/** Some writers put times there that are none. */
function lastChange({ config, tasks, mail }: TeamView, nowMs: number): number {
  const times = [
    config?.createdAt,
    ...(config?.members ?? []).map(({ joinedAt }) => joinedAt),
    ...tasks.map(({ changedAt }) => changedAt),
    ...mail.flatMap(({ entries }) => entries.slice(-1).map(({ timestamp }) => Date.parse(timestamp))),
  ];
  return Math.max(0, ...times.filter((time) => time !== undefined && time <= nowMs).map(Number));
}
