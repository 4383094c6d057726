import { runProcess } from "@troupe/process";

/** Throws with what a run needs of the system and does not find: no part of it may be left out. */
export async function assertPrograms(environment: Readonly<Record<string, string>>): Promise<void> {
  for (const [program = "", ...args] of [
    ["tmux", "-V"],
    ["python3", "--version"],
  ]) {
    const { failure } = await runProcess({ program, args, cwd: "/", environment, timeoutMs: 10_000, keptBytes: 1_000 });
    if (failure) throw new Error(`the live proof needs ${program} (${failure}): install it, run again`);
  }
}

/** Where a run lies: in namespaces of its own, or beside everything else. */
export interface Solitude {
  /** What stands before the words of the program. */
  readonly before: readonly string[];
  readonly note: string;
}

/** Brings up the loopback address, then runs what follows; its first process reaps the rest. */
const script = 'ip link set lo up && { "$@"; exit $?; }';

/**
 * Finds out whether a program can be run with a network of its own, in which there is nothing but
 * loopback, and with processes of its own, all of which end with the first.
 */
export async function findSolitude(environment: Readonly<Record<string, string>>): Promise<Solitude> {
  const before = ["unshare", "-rnpf", "--kill-child", "--mount-proc", "sh", "-c", script, "sh"];
  const [program = "", ...args] = [...before, "true"];
  const run = { program, args, cwd: "/", environment, timeoutMs: 10_000, keptBytes: 1_000 };
  const { code, stderr, failure } = await runProcess(run);
  if (code === 0) return { before, note: "in a network of loopback alone, with processes of its own (unshare)" };
  const why = failure ?? stderr.trim();
  return { before: [], note: `WITHOUT a network of its own: unshare is refused here (${why})` };
}
