import { startOf } from "@troupe/process";
import { messageOf, TroupeError } from "@troupe/protocol";
import type { BackendRecord } from "../records.ts";
import { endAll, isRunning } from "../running.ts";
import { isServerGone, type Tmux } from "./client.ts";
import { plainAgain } from "./look.ts";

/** A pane of ours, as tmux says it is. */
export interface Pane {
  readonly id: string;
  readonly window: string;
  /** Of the program in it, also when that has ended. */
  readonly pid: number;
  /** The program has ended, with this. */
  readonly ended?: { readonly status: string; readonly signal: string } | undefined;
}

type Marked = Pick<BackendRecord, "mark" | "pane" | "server">;

const fields = "#{pane_id} #{window_id} #{pane_pid} #{pane_dead} x#{pane_dead_status} x#{pane_dead_signal} ";

/**
 * Looks for the pane of a record: its mark stands in the words that tmux started it with, so a pane
 * in which a person started something else is not found. A server that does not answer at all
 * rejects; one that is gone has no panes.
 */
export async function paneOf(tmux: Tmux, { mark, pane, server }: Marked): Promise<Pane | undefined> {
  if (server && !(await isRunning(server.process))) return undefined;
  const end = await tmux(["list-panes", "-a", "-F", `${fields}#{?#{m:*${mark}*,#{pane_start_command}},ours,}`]);
  if (isServerGone(end)) return undefined;
  if (!end.isFine) throw new TroupeError("teammate_failed", `tmux lists no panes: ${end.words}`);
  for (const line of end.stdout.split("\n")) {
    const [id = "", window = "", pid, dead, status = "", signal = "", ours] = line.split(" ");
    if (ours !== "ours" || (pane !== undefined && pane !== id)) continue;
    const ended = dead === "1" ? { status: status.slice(1), signal: signal.slice(1) } : undefined;
    return { id, window, pid: Number(pid), ended };
  }
  return undefined;
}

/** The last lines in a pane. */
export async function lastLines(tmux: Tmux, { id }: Pane, count = 10): Promise<string> {
  const { stdout } = await tmux(["capture-pane", "-p", "-J", "-S", "-100", "-t", id]);
  const lines = stdout.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("Pane is dead"));
  return lines.slice(-count).join("\n");
}

/** Whether what was recorded runs, and not another process with its number. */
export const isAlive = async ({ process }: Pick<BackendRecord, "process">): Promise<boolean> =>
  process !== undefined && isRunning(process);

/**
 * Ends what a record stands for: its process with everything below it, then its pane. Looks whether
 * that is so, and rejects where it is not.
 */
export async function endPane(tmux: Tmux, record: BackendRecord, graceMs: number): Promise<void> {
  const faults: string[] = [];
  const note = (error: unknown): undefined => {
    faults.push(messageOf(error));
  };
  const pane = await paneOf(tmux, record).catch(note);
  // One that was killed behind the start of its program has not written down its process.
  const process = record.process ?? (pane && (await processOf(pane)));
  await endAll({ mark: record.mark, process }, graceMs).catch(note);
  if (pane) await killPane(tmux, record, pane).catch(note);
  if (await paneOf(tmux, record).catch(note)) faults.push("its pane is still there");
  if (faults.length === 0) return;
  const message = `${record.name} could not be ended: ${faults[0]}; end it by hand and run troupe doctor`;
  throw new TroupeError("teammate_failed", message, { team: record.team, name: record.name });
}

async function processOf({ pid }: Pane) {
  const startedAt = await startOf(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Kills a pane only if it still is the one that was looked at, which the server decides. */
async function killPane(tmux: Tmux, { mark }: Marked, { id, window }: Pane): Promise<void> {
  const isOurs = `#{m:*${mark}*,#{pane_start_command}}`;
  const end = await tmux(["if-shell", "-F", "-t", id, isOurs, `kill-pane -t ${id}`]);
  // The window went with its last pane, or it has no teammate any more.
  if (end.isFine) await tmux(plainAgain(window));
  if (end.isFine || isServerGone(end) || /can't find pane/.test(end.words)) return;
  throw new TroupeError("teammate_failed", `tmux did not kill ${id}: ${end.words}`);
}
