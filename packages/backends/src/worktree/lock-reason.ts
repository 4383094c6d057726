import { hasEnded, startOf } from "@troupe/process";
import { thisProcess } from "../running.ts";

/** Why a worktree is locked, by which another process can tell whether it still is in use. */
export async function lockReason(): Promise<string> {
  const { pid, startedAt } = await thisProcess();
  return `an agent of process ${pid} works here (process started: ${startedAt})`;
}

/** Whether the process that locked it has ended; undefined where the lock is of somebody else. */
export async function isLeftBehind(reason: string): Promise<boolean | undefined> {
  const [, pid, startedAt] = /^an agent of process (\d+) works here(?: \(process started: (.*)\))?$/.exec(reason) ?? [];
  if (pid === undefined) return undefined;
  if (startedAt === undefined) return (await startOf(Number(pid))) === undefined;
  return hasEnded({ pid: Number(pid), startedAt });
}
