import type { ChildProcess } from "node:child_process";

/**
 * Signals a child that was started with a process group of its own, and all that it has started.
 */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It ended meanwhile.
  }
}
