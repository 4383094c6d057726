import { writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { startOf } from "@troupe/process";
import { TroupeError } from "@troupe/protocol";
import { firstOf } from "@troupe/store";
import type { BackendDeps, Launch, SpawnSpec } from "../launch.ts";
import { type BackendRecord, markVariable, type Records } from "../records.ts";
import { refused, type Tmux } from "./client.ts";
import { endOf } from "./end.ts";
import { arrangement } from "./layout.ts";
import { looksOf } from "./look.ts";
import { isAlive } from "./panes.ts";
import { type Inside, type Split, splitPane } from "./place.ts";
import { environmentText, paneWords } from "./starter.ts";

/** tmux takes 16 KiB in one command; the starter and where it goes need the rest. */
const maxWordBytes = 14_000;

export function assertShort({ file, args }: Launch): void {
  const bytes = [file, ...args].reduce((sum, word) => sum + Buffer.byteLength(word) + 1, 0);
  if (bytes <= maxWordBytes) return;
  const message = `the command has ${bytes} bytes, and tmux takes ${maxWordBytes}: shorten its arguments`;
  throw new TroupeError("arguments_invalid", message, { bytes });
}

export interface PlacingDeps {
  readonly tmux: Tmux;
  readonly records: Records;
  readonly inside: Inside | undefined;
  /** The session of our own, outside tmux. */
  readonly session: string;
  /** Panes of the same team, the last one first. */
  readonly others: readonly string[];
}

/** Adds a pane in which nothing runs yet, and records it. */
export async function addPane(
  deps: PlacingDeps,
  record: BackendRecord,
): Promise<{ record: BackendRecord; split: Split }> {
  const { tmux, records, inside, session, others } = deps;
  // By its environment the pane is found when this process ends before it is recorded.
  const waiting = ["/usr/bin/env", `${markVariable}=${record.mark}`, "cat"];
  const split = await splitPane({ tmux, lead: inside?.pane, session, others, waiting });
  const startedAt = (await startOf(split.server)) ?? "";
  const server = { socket: split.socket, process: { pid: split.server, startedAt } };
  const placed = { pane: split.pane, server, session: inside ? undefined : session };
  return { record: records.amend(record, placed), split };
}

/** Puts the program in the place of what waited in the pane. */
export async function startIn(
  { tmux, records, inside }: PlacingDeps,
  placed: { readonly record: BackendRecord; readonly split: Split },
  { name, color, cwd }: SpawnSpec,
  launch: Launch,
): Promise<{ readonly record: BackendRecord; readonly left: readonly string[] }> {
  const { record, split } = placed;
  if (inside && inside.pid !== split.server)
    throw refused("added no pane", { words: `TMUX names the server ${inside.pid}, and ${split.server} answers` });
  if (isOld(split.version))
    throw refused("has no panes as they are needed", { words: `it is version ${split.version}` });
  const file = records.file(record, "environment");
  const { text, left } = environmentText({ ...launch.environment, [markVariable]: record.mark });
  writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  const { pane, window, leadWindow } = split;
  const isArranged = !inside || leadWindow === window.id;
  // What only changes looks comes last: a program runs also where that fails.
  const end = await tmux(
    ["set-option", "-p", "-t", pane, "remain-on-exit", "on"],
    ["respawn-pane", "-k", "-t", pane, "--", ...paneWords(launch, cwd, file)],
    ["display-message", "-p", "-t", pane, "#{pane_pid}"],
    ...looksOf(pane, name, color),
    ...(isArranged ? arrangement(window, inside?.pane) : []),
  );
  const pid = Number(end.stdout.trim());
  if (!(pid > 1)) throw refused(`did not start ${name}`, end);
  const startedAt = await startOf(pid);
  return { record: startedAt === undefined ? record : records.amend(record, { process: { pid, startedAt } }), left };
}

const isOld = (version: string): boolean => {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? [];
  return major !== undefined && (Number(major) < 3 || (major === "3" && Number(minor) < 2));
};

/** Resolves when the teammate is at work; rejects when it ends before, or is too late. */
export async function untilReady(
  { ready, readyMs }: Pick<BackendDeps, "ready" | "readyMs">,
  { tmux, spec, record }: { readonly tmux: Tmux; readonly spec: SpawnSpec; readonly record: BackendRecord },
  signal: AbortSignal,
): Promise<void> {
  const fail = (why: string): never => {
    throw new TroupeError("teammate_failed", `${spec.name} did not begin to work: ${why}`, { name: spec.name });
  };
  await firstOf<void>(
    signal,
    (over) => ready(spec, over),
    async (over) => {
      await untilEnded(record, over);
      fail((await endOf(tmux, record)).detail);
    },
    async (over) => {
      await delay(readyMs, undefined, { signal: over });
      fail(`it said nothing for ${readyMs / 1_000} s; look whether its command runs by itself`);
    },
  );
  signal.throwIfAborted();
}

/** Half of how long the end of a teammate may go unnoticed, and half of that. */
const lookMs = 250;

/** Resolves when the process of a record runs no more; rejects with the signal. */
export async function untilEnded(record: BackendRecord, signal: AbortSignal): Promise<void> {
  while (await isAlive(record)) await delay(lookMs, undefined, { signal });
}
